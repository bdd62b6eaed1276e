// The program that keeps the binary logs: it copies what a member writes onto the backup volume as it is written, so that a backup can be restored to
// any moment after it, and tells the primary how that fares.
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { required, requiredNumber } from "../../environment";
import { withLock } from "../../lock";
import type { RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";
import { Archiver } from "./archiver";
import { logsIn, writerLock } from "./store";

const pauseMs = 2_000;

/** Runs the program until the pod ends. */
export async function runArchive(): Promise<void> {
  const remoteAt = (host: string): RemoteArgs => ({
    host,
    port: requiredNumber("SERVER_PORT"),
    user: replicationUser,
    password: required("REPLICATION_PASSWORD"),
  });
  const backups = required("BACKUP_DIRECTORY");
  const archiver = new Archiver({
    backups,
    database: required("DATABASE_NAME"),
    keptFile: required("KEPT_FILE"),
    retention: requiredNumber("BACKUP_RETENTION"),
    replica: remoteAt(required("REPLICA_HOST")),
    primary: remoteAt(required("PRIMARY_HOST")),
  });
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      stop.abort();
    });
  await mkdir(logsIn(backups), { recursive: true });
  // the pod that is deleted still writes while its successor starts, and each would cut off what the other one is writing
  await withLock(writerLock(backups), {}, async () => {
    while (!stop.signal.aborted) {
      await archiver.turn();
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    await archiver.stop();
  });
}
