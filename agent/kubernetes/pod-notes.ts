// What a member says about itself on its pod: the label by which the Services find it, and an annotation for people.
import { isDeepStrictEqual } from "node:util";
import type { KubernetesClient } from "./client";
import { podPath } from "./paths";

/** What is said. */
export interface Notes {
  /** Missing: no Service leads to this pod. */
  readonly role: "primary" | "replica" | undefined;
  /** State of the server: "running", "starting", "stopping" or "start failed". */
  readonly state: string;
  /** Why it is so, where that is worth a word. */
  readonly message?: string;
}

/** After how long notes are written again, in milliseconds: somebody may have taken a label away. */
const repeatMs = 10_000;

/** Writes notes on pods: each change once, and all again from time to time. */
export class PodNotes {
  readonly #client: Pick<KubernetesClient, "patch">;
  readonly #namespace: string;
  readonly #self: string;
  #written: Notes | undefined;
  #writtenAt = -Infinity;

  constructor(client: Pick<KubernetesClient, "patch">, namespace: string, self: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#self = self;
  }

  /** Says it on the own pod, unless it was the last word a moment ago. */
  async write(notes: Notes): Promise<void> {
    const isRecent = performance.now() - this.#writtenAt < repeatMs;
    if (isRecent && isDeepStrictEqual(notes, this.#written)) return;
    const { role, ...status } = notes;
    // unknown from now on, until it is written
    this.#written = undefined;
    await this.#patch(this.#self, { role: role ?? null }, { status: JSON.stringify({ ...status, role }) });
    this.#written = notes;
    this.#writtenAt = performance.now();
  }

  /** Takes the role of primary from another pod, which may be frozen and unable to do so itself. */
  async depose(pod: string): Promise<void> {
    await this.#patch(pod, { role: "replica" });
  }

  async #patch(
    pod: string,
    labels: Readonly<Record<string, string | null>>,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const metadata = { labels, ...(annotations && { annotations }) };
    await this.#client.patch(podPath(this.#namespace, pod), { metadata });
  }
}
