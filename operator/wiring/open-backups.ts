// Puts the DatabaseBackups together: their watch, the Jobs of all Databases, and a queue of their own, by Database.
import type { Logger } from "pino";
import { createBackupController, type BackupHooks } from "../backups/controller";
import type { BackupPorts } from "../backups/ports";
import type { Key } from "../domain/key";
import { archiveNoteOf } from "../domain/members";
import { createBackupWrites } from "../kube/backup-writes";
import { BackupWatch } from "../kube/backups";
import { isApiError, type KubeClient } from "../kube/client";
import { scopesOf } from "../kube/scope";
import type { LiveWorld } from "../kube/world";
import { KeyedQueue } from "../queue/queue";

/** Databases whose backups are worked on at the same time: each waits for the API server only. */
const atOnce = 4;

/** A Job and its pod move in company: they are looked at once for all that happen within this time, in milliseconds. */
const settleMs = 50;

export interface Backups {
  /** Begins to watch; resolves when which backups are kept is known, or cannot be: where the kind is not installed, it is looked for on and on. */
  start(): Promise<void>;
  /** Begins to write: this operator leads. */
  resume(): void;
  /** A Database came, went or changed. */
  readonly databaseChanged: (key: Key) => void;
  /** A Job of a Database, or its pod, came, went or changed, or what its primary says of its archive. */
  readonly jobChanged: (key: Key) => void;
  /** Labels of a Database's backups that are kept beyond retention, sorted; undefined while they are not known. */
  readonly keptBackups: (key: Key) => readonly string[] | undefined;
  /** Resolves when no write is in progress any more. */
  stop(): Promise<void>;
}

export interface BackupOptions {
  readonly client: KubeClient;
  /** The namespaces to look at; none: all. */
  readonly watchNamespaces: readonly string[];
  /** Where Databases and Jobs are read; asked once this operator leads. */
  readonly world: () => Pick<LiveWorld, "database" | "backupRuns" | "drills" | "keys" | "observe">;
  readonly log: Logger;
  /** Which backups of a Database are kept has changed, or is known now. */
  readonly onKept: (database: Key) => void;
  /** A list or watch broke. */
  readonly onProblem: (kind: string, cause: unknown) => void;
}

const hooksTo = (log: Logger): BackupHooks => ({
  onError: (database, error) => {
    log.error({ database, err: error }, "backups failed unexpectedly");
  },
  onBegun: ({ namespace, database, name, requestedBy }) => {
    log.info({ database: `${namespace}/${database}`, job: name, backup: requestedBy }, "backup begun");
  },
});

export function openBackups(options: BackupOptions): Backups {
  const { client, watchNamespaces, world, log, onKept, onProblem } = options;
  let isMissing = false;
  const watch = new BackupWatch({
    client,
    // of a namespace that does not exist the watches of Databases report it
    scopes: scopesOf(client, watchNamespaces, () => undefined),
    onChange: (database) => {
      queue.add(database, { urgency: "person" });
    },
    onKept,
    onProblem: (cause) => {
      if (!isApiError(cause, 404)) onProblem("databasebackups", cause);
      else if (!isMissing) {
        isMissing = true;
        log.info({ kind: "databasebackups" }, "custom resource not installed; the operator keeps looking for it");
      }
    },
  });
  const ports: BackupPorts = {
    backups: (key) => watch.of(key),
    runs: (key) => world().backupRuns(key),
    drills: (key) => world().drills(key),
    database: (key) => world().database(key),
    archive: (key) => archiveNoteOf(world().observe(key).members),
    writes: createBackupWrites(client),
    now: () => new Date(),
  };
  const work = createBackupController(ports, hooksTo(log));
  const queue = new KeyedQueue({ concurrency: { look: atOnce, run: 0 }, work, paused: true });
  return {
    async start() {
      const { settled, synced } = watch.start();
      let isLate = false;
      void synced.then(() => {
        for (const key of world().keys()) {
          queue.add(key);
          if (isLate) onKept(key);
        }
      });
      await settled;
      isLate = true;
    },
    resume() {
      queue.resume();
    },
    databaseChanged: (key) => {
      if (watch.of(key)?.some(({ status }) => status.phase === "Pending" || status.phase === undefined)) queue.add(key);
    },
    jobChanged: (key) => {
      queue.add(key, { delayMs: settleMs });
    },
    keptBackups: (key) => watch.keptOf(key),
    async stop() {
      await queue.stop();
      await watch.stop();
    },
  };
}
