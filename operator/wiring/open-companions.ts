// Puts the companions together: their watches and those of Databases feed a queue of their own, which works with their controller.
import type { Logger } from "pino";
import { companionKinds } from "../api/companions/crd";
import { createCompanionController, type CompanionWork } from "../companions/controller";
import { isApiError, type KubeClient } from "../kube/client";
import { CompanionWatches, createCompanionWrites } from "../kube/companions";
import { scopesOf } from "../kube/scope";
import type { Key } from "../domain/key";
import type { LiveWorld } from "../kube/world";
import { companionKeyOf, partsOf } from "../companions/ports";
import { KeyedQueue, type Next } from "../queue/queue";

/** Companions worked on at the same time: each waits for the API server only. */
const atOnce = 4;

export interface Companions {
  /** Begins to watch. A kind whose custom resource is not installed is looked for again and again. */
  start(): void;
  /** Begins to write: this operator leads. */
  resume(): void;
  /** A Database came, went or changed. */
  readonly databaseChanged: (key: Key) => void;
  readonly catalogueChanged: () => void;
  /** Resolves when no write is in progress any more. */
  stop(): Promise<void>;
}

export interface CompanionOptions {
  readonly client: KubeClient;
  /** The namespaces to look at; none: all. */
  readonly watchNamespaces: readonly string[];
  /** Where Databases and the catalogue are read; asked from `start` on. */
  readonly world: () => Pick<LiveWorld, "database" | "catalogue">;
  readonly log: Logger;
  /** A list or watch of a kind broke. */
  readonly onProblem: (kind: string, cause: unknown) => void;
}

export function openCompanions(options: CompanionOptions): Companions {
  const { client, watchNamespaces, world, log, onProblem } = options;
  const missing = new Set<string>();
  const watches = new CompanionWatches({
    client,
    // of a namespace that does not exist the watches of Databases report it
    scopes: scopesOf(client, watchNamespaces, () => undefined),
    kinds: companionKinds,
    onChange: (key) => {
      queue.add(partsOf(key).database, { urgency: "person" });
    },
    onProblem: (kind, cause) => {
      if (!isApiError(cause, 404)) onProblem(kind, cause);
      else if (!missing.has(kind)) {
        missing.add(kind);
        log.info({ kind }, "custom resource not installed; the operator keeps looking for it");
      }
    },
  });
  const work = createCompanionController(
    {
      companion: (key) => watches.get(key),
      database: (key) => world().database(key)?.object,
      get catalogue() {
        return world().catalogue;
      },
      writes: createCompanionWrites(client, companionKinds),
      now: () => new Date(),
    },
    {
      onError: (key, error) => {
        log.error({ companion: key, err: error }, "companion failed unexpectedly");
      },
      onOutcome: (key, outcome) => {
        const level = outcome.kind === "stalled" ? "warn" : "debug";
        log[level]({ companion: key, ...outcome, outcome: outcome.kind, kind: undefined }, "companion reconciled");
      },
    },
  );
  const queue = new KeyedQueue({ concurrency: { look: atOnce, run: 0 }, work: oneByOne(work), paused: true });
  return {
    start() {
      watches.start();
    },
    resume() {
      queue.resume();
    },
    databaseChanged: (key) => {
      if (watches.named(key).length > 0) queue.add(key);
    },
    catalogueChanged: () => {
      for (const companion of watches.keys()) queue.add(partsOf(companion).database);
    },
    async stop() {
      await queue.stop();
      await watches.stop();
    },
  };
}

/** Companions of one name have one turn: they could take the Database from each other. */
const oneByOne =
  (work: CompanionWork) =>
  async (database: Key): Promise<Next> => {
    let next: Next = { kind: "forget" };
    for (const kind of companionKinds) next = sooner(next, await work(companionKeyOf(database, kind)));
    return next;
  };

/** Of what two companions ask for, what brings the next turn earlier. */
function sooner(one: Next, other: Next): Next {
  if (one.kind === "retry" || other.kind === "forget") return one;
  if (other.kind === "retry" || one.kind === "forget") return other;
  return one.kind === "again" && other.kind === "again" && one.afterMs < other.afterMs ? one : other;
}
