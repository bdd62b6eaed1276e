// All Databases as one watch shows them.
import { z } from "zod";
import type { KubeClient } from "../../../operator/kube/client";
import { collection, resources } from "../../../operator/kube/paths";
import { Reflector } from "../../../operator/kube/reflector";
import { Waiters } from "./waiters";

const Condition = z.object({ type: z.string(), status: z.string() });

const Database = z
  .object({
    metadata: z.object({ generation: z.number(), resourceVersion: z.string() }),
    status: z
      .object({ observedGeneration: z.number().default(0), conditions: z.array(Condition).default([]) })
      .prefault({}),
  })
  .transform(({ metadata, status }) => {
    const condition = (type: string): z.infer<typeof Condition> | undefined =>
      status.conditions.find((candidate) => candidate.type === type);
    return {
      generation: metadata.generation,
      isReady: condition("Ready")?.status === "True",
      isReconciled: condition("Reconciling")?.status === "False" && status.observedGeneration === metadata.generation,
    };
  });
export type DatabaseView = z.infer<typeof Database>;

/** See the header. Keys are `namespace/name`. */
export class DatabasesBoard {
  readonly #waiters = new Waiters();
  readonly #reflector: Reflector<DatabaseView>;

  constructor(client: KubeClient) {
    this.#reflector = new Reflector<DatabaseView>({
      client,
      path: collection(resources.databases),
      parse: (object) => Database.parse(object),
      onChange: (key) => {
        this.#waiters.look(key);
      },
    });
  }

  start(): Promise<void> {
    return this.#reflector.start();
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  get(key: string): DatabaseView | undefined {
    return this.#reflector.get(key);
  }

  /** Resolves with the time at which the condition was seen to hold; `undefined` is a Database that is gone. */
  until(
    key: string,
    isMet: (view: DatabaseView | undefined) => boolean,
    patience: { readonly what: string; readonly withinMs: number },
  ): Promise<number> {
    return this.#waiters.until(key, () => isMet(this.#reflector.get(key)), patience);
  }

  /** Ready, and nothing is in progress. `generation`: of this one at the earliest. */
  untilReady(key: string, withinMs: number, generation = 1): Promise<number> {
    const isDone = (view: DatabaseView | undefined): boolean =>
      view?.isReady === true && view.isReconciled && view.generation >= generation;
    return this.until(key, isDone, { what: "Ready", withinMs });
  }

  untilGone(key: string, withinMs: number): Promise<number> {
    return this.until(key, (view) => view === undefined, { what: "its end", withinMs });
  }
}
