// What a member writes about itself on its pod: the label by which the Services find it, and an annotation for people.
import { isDeepStrictEqual } from "node:util";
import type { KubernetesClient } from "./client";
import { podPath } from "./paths";

/** What is written. */
export interface Notes {
  /** Missing: no Service selects this pod. */
  readonly role: "primary" | "replica" | undefined;
  /** State of the server: "running", "starting", "stopping", "start failed", or "undecided" where a person must decide how to continue. */
  readonly state: string;
  /** Of a replica: whether it receives what the primary writes. Missing: it does for as long as the pod is ready. */
  readonly streaming?: boolean;
  /** Why, where that needs an explanation. */
  readonly message?: string;
}

/** After this time, in milliseconds, a note is written again: another client may have changed it, and the Services select by it. */
const repeatMs = 10_000;

/** Writes notes on pods: each change at once, and what has not changed from time to time. */
export class PodNotes {
  #written: Notes | undefined;
  #writtenAt = -Infinity;

  /** `now`: milliseconds of a clock that only goes forward. Default: the process's own. */
  constructor(
    private readonly client: Pick<KubernetesClient, "patch" | "podUid">,
    private readonly namespace: string,
    private readonly self: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Writes it on its own pod, unless the last note was the same and is not old. Throws where the name is that of another pod by now: a pod
   * that was deleted by force must not write for its successor.
   */
  async write(notes: Notes): Promise<void> {
    const isOld = this.now() - this.#writtenAt >= repeatMs;
    if (!isOld && isDeepStrictEqual(notes, this.#written)) return;
    const { role, streaming, ...rest } = notes;
    const status = {
      ...rest,
      // Patroni's name and word for it
      ...(streaming !== undefined && { replication_state: streaming ? "streaming" : "stopped" }),
      role,
    };
    // unknown from now on, until it is written
    this.#written = undefined;
    const uid = await this.client.podUid();
    await this.#patch(this.self, {
      labels: { role: role ?? null },
      annotations: { status: JSON.stringify(status) },
      // the API server refuses the change where the pod has another one
      ...(uid !== undefined && { uid }),
    });
    this.#written = notes;
    this.#writtenAt = this.now();
  }

  /** Takes the role of primary from another pod, which may be frozen and unable to do so itself. */
  async depose(pod: string): Promise<void> {
    await this.#patch(pod, { labels: { role: "replica" } });
  }

  async #patch(pod: string, metadata: unknown): Promise<void> {
    await this.client.patch(podPath(this.namespace, pod), { metadata });
  }
}
