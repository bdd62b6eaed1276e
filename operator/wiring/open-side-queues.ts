// What has objects and a queue of its own beside Databases: companions, backups and the history. They look at Databases, and never wait for a run.
import type { Key } from "../domain/key";
import type { WorldOptions } from "../kube/world";
import { openBackups, type BackupOptions } from "./open-backups";
import { openCompanions, type CompanionOptions } from "./open-companions";
import { openHistory, type History } from "./open-history";

export interface SideQueues {
  /** What the world has to tell and to ask them. */
  readonly hooks: Pick<WorldOptions, "onDatabase" | "onCatalogue" | "onJob" | "keptBackups">;
  /** What the reconcile has to tell and to ask the history. */
  readonly history: Pick<History, "childChanged" | "turnEnded" | "during" | "listening" | "lastRevision">;
  /** Begins to watch what a run depends on; resolves when that is known, or cannot be. To be called before the queue of Databases works. */
  prepare(): Promise<void>;
  /** Begins to watch the rest, and waits for nothing. */
  start(): void;
  /** Begins to write: this operator leads. */
  resume(): void;
  /** Resolves when no write is in progress any more. */
  stop(): Promise<void>;
}

export function openSideQueues(options: BackupOptions & CompanionOptions): SideQueues {
  const [companions, backups, history] = [openCompanions(options), openBackups(options), openHistory(options)];
  return {
    history,
    hooks: {
      onDatabase: (key: Key) => {
        companions.databaseChanged(key);
        backups.databaseChanged(key);
      },
      onCatalogue: companions.catalogueChanged,
      onJob: backups.jobChanged,
      keptBackups: backups.keptBackups,
    },
    async prepare() {
      await Promise.all([backups.start(), history.start()]);
    },
    start() {
      companions.start();
    },
    resume() {
      companions.resume();
      backups.resume();
      history.resume();
    },
    async stop() {
      await Promise.all([companions.stop(), backups.stop(), history.stop()]);
    },
  };
}
