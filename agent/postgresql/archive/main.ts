// The program that keeps WAL beside backups on their volume: it receives what the primary writes as it is written, so that a backup can be restored to any
// moment after it.
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { required, requiredNumber } from "../../environment";
import { withLock } from "../../lock";
import { Archiver } from "./archiver";
import { walIn, writerLock } from "./names";

const pauseMs = 2_000;

/** Runs the program until the pod ends. */
export async function keepWal(): Promise<void> {
  process.title = "postgresql-archive";
  const backups = required("BACKUP_DIRECTORY");
  const archiver = new Archiver({
    backups,
    database: required("DATABASE_NAME"),
    keptFile: required("KEPT_FILE"),
    retention: requiredNumber("BACKUP_RETENTION"),
    primary: {
      host: required("PRIMARY_HOST"),
      port: requiredNumber("PGPORT"),
      user: required("PGUSER"),
      password: required("PGPASSWORD"),
    },
  });
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      stop.abort();
    });
  await mkdir(walIn(backups), { recursive: true });
  // the pod that is deleted still writes while its successor starts
  await withLock(writerLock(backups), {}, async () => {
    while (!stop.signal.aborted) {
      await archiver.turn();
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    await archiver.stop();
  });
}
