// Puts the history of Databases together: the watch of DatabaseRevisions, what is overheard of the reconcile, and a queue of their own, by Database.
import type { Logger } from "pino";
import { ownOf } from "../history/decide";
import { createHistoryController } from "../history/controller";
import { Overheard } from "../history/overheard";
import type { Key } from "../domain/key";
import type { Outcome } from "../domain/outcome";
import type { StackRecords } from "../domain/records";
import { isApiError, type KubeClient } from "../kube/client";
import { createRevisionWrites } from "../kube/revision-writes";
import { RevisionWatch } from "../kube/revisions";
import { scopesOf } from "../kube/scope";
import type { LiveWorld } from "../kube/world";
import { KeyedQueue } from "../queue/queue";

/** Databases whose history is worked on at the same time: each waits for the API server only. */
const atOnce = 4;

/** Members move in company: they are looked at once for all that happen within this time, in milliseconds. */
const settleMs = 50;

export interface History {
  /** Begins to watch; resolves when what there is is known, or cannot be: where the kind is not installed, it is looked for on and on. */
  start(): Promise<void>;
  /** Begins to write: this operator leads. */
  resume(): void;
  /** A member of a Database, or something else that it consists of, came, went or changed. */
  readonly childChanged: (key: Key) => void;
  /** A turn of its reconcile is over. */
  readonly turnEnded: (key: Key, outcome: Outcome) => void;
  /** The same work; while it goes on, a change may not be on record yet. */
  readonly during: Overheard["during"];
  /** The same records; what goes through them is what the history is made of. */
  readonly listening: (records: StackRecords) => StackRecords;
  /** The number of the newest revision of the Database of that uid; 0 where none is known. */
  readonly lastRevision: (key: Key, uid: string) => number;
  /** Resolves when no write is in progress any more. */
  stop(): Promise<void>;
}

export interface HistoryOptions {
  readonly client: KubeClient;
  /** The namespaces to look at; none: all. */
  readonly watchNamespaces: readonly string[];
  /** Where Databases and members are read; asked once this operator leads. */
  readonly world: () => Pick<LiveWorld, "database" | "observe" | "keys">;
  readonly log: Logger;
  /** A list or watch broke. */
  readonly onProblem: (kind: string, cause: unknown) => void;
}

const kind = "databaserevisions";

/** That the kind is not installed is said once. */
function unlessMissing(log: Logger, report: (cause: unknown) => void): (cause: unknown) => void {
  let isMissing = false;
  return (cause) => {
    if (!isApiError(cause, 404)) report(cause);
    else if (!isMissing) {
      isMissing = true;
      log.info({ kind }, "custom resource not installed; the operator keeps looking for it");
    }
  };
}

/** That none may be made is said once: it is so of every Database. */
function onceOf(log: Logger): (cause: unknown) => void {
  let isSaid = false;
  return (err) => {
    if (!isSaid) log.warn({ kind, err }, "the history is not written, as none may be made; the operator keeps trying");
    isSaid = true;
  };
}

export function openHistory({ client, watchNamespaces, world, log, onProblem }: HistoryOptions): History {
  const watch = new RevisionWatch({
    client,
    // of a namespace that does not exist the watches of Databases report it
    scopes: scopesOf(client, watchNamespaces, () => undefined),
    onChange: (database) => {
      queue.add(database);
    },
    onProblem: unlessMissing(log, (cause) => {
      onProblem(kind, cause);
    }),
  });
  const overheard = new Overheard((key) => {
    queue.add(key, { delayMs: settleMs });
  });
  const work = createHistoryController(
    {
      revisions: (key) => watch.of(key),
      database: (key) => world().database(key),
      observe: (key) => world().observe(key),
      record: (key) => overheard.record(key),
      outcome: (key) => overheard.outcome(key),
      isAtWork: (key) => overheard.isAtWork(key),
      writes: createRevisionWrites(client, onceOf(log)),
      now: () => new Date(),
    },
    {
      onError: (database, error) => {
        log.error({ database, err: error }, "the history was not written");
      },
    },
  );
  const queue = new KeyedQueue({ concurrency: { look: atOnce, run: 0 }, work, paused: true });
  return {
    async start() {
      const { settled, synced } = watch.start();
      void synced.then(() => {
        for (const key of world().keys()) queue.add(key);
      });
      await settled;
    },
    resume() {
      queue.resume();
    },
    childChanged: (key) => {
      if (overheard.record(key) !== undefined) queue.add(key, { delayMs: settleMs });
    },
    turnEnded: (key, outcome) => {
      overheard.ended(key, outcome);
    },
    during: (work) => overheard.during(work),
    listening: (records) => overheard.listening(records),
    lastRevision: (key, uid) => ownOf(watch.of(key) ?? [], uid)[0]?.spec.revision ?? 0,
    async stop() {
      await queue.stop();
      await watch.stop();
    },
  };
}
