// Which children of which Database exist, as watches show them: one watch for each kind, metadata alone.
import { labelKeys, managedSelector } from "../../../components/naming";
import { childKinds } from "../../../operator/kube/children";
import type { KubeClient } from "../../../operator/kube/client";
import { collection, resources, selectorText } from "../../../operator/kube/paths";
import { Reflector } from "../../../operator/kube/reflector";
import { z } from "zod";
import { Waiters } from "./waiters";

const Meta = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), labels: z.record(z.string(), z.string()) }),
});

/** The selector of one Database's children, without the part that names it. */
const allChildrenSelector = Object.fromEntries(
  Object.entries(managedSelector("")).filter(([label]) => label !== labelKeys.database),
);

/** Kinds of children that every cluster knows. */
const kinds = childKinds.filter(({ resource }) => resource !== resources.serviceMonitors);

/** See the header. Children are `Kind name`. */
export class ChildrenBoard {
  readonly #present = new Map<string, Set<string>>();
  readonly #waiters = new Waiters();
  readonly #reflectors: readonly Reflector<string>[];

  constructor(client: KubeClient) {
    this.#reflectors = kinds.map(({ kind, resource }) => this.#watch(client, kind, collection(resource)));
  }

  async start(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  /** Children of `namespace/name`. */
  of(key: string): ReadonlySet<string> {
    return this.#present.get(key) ?? new Set();
  }

  /** Resolves with the time at which the last of them was seen. */
  untilAll(key: string, expected: readonly string[], withinMs: number): Promise<number> {
    const isComplete = (): boolean => {
      const present = this.of(key);
      return present.size >= expected.length && expected.every((child) => present.has(child));
    };
    return this.#waiters.until(key, isComplete, { what: `${expected.length} children`, withinMs });
  }

  #watch(client: KubeClient, kind: string, path: string): Reflector<string> {
    return new Reflector<string>({
      client,
      path,
      labelSelector: selectorText(allChildrenSelector),
      metadataOnly: true,
      parse: (object) => {
        const { name, namespace, labels } = Meta.parse(object).metadata;
        return `${namespace}/${labels[labelKeys.database] ?? ""}|${kind} ${name}`;
      },
      onChange: (_path, after, before) => {
        if (before !== undefined) this.#note(before, false);
        if (after !== undefined) this.#note(after, true);
      },
    });
  }

  #note(text: string, exists: boolean): void {
    const [key = "", child = ""] = text.split("|");
    const present = this.#present.get(key) ?? new Set();
    if (exists) this.#present.set(key, present.add(child));
    else present.delete(child);
    if (present.size === 0) this.#present.delete(key);
    this.#waiters.look(key);
  }
}
