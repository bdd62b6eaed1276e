// From when on a restore is possible behind a backup that was just taken, where binary logs are kept.
import { setTimeout as delay } from "node:timers/promises";
import { log, textOf } from "../../log";
import { backupsIn } from "../copies/retention";
import { basesOf } from "../archive/bases";
import { recoverableFrom } from "../archive/note";
import { sessionsOf } from "../archive/store";

/** How long the program that keeps the binary logs may take to begin: it starts together with the first backup. */
const firstLogMs = 60_000;
const pauseMs = 1_000;

/** Behind which backup. */
export interface Behind {
  readonly backups: string;
  readonly database: string;
  readonly group: string;
  /** The label of the one that was taken. */
  readonly newest: string;
}

/**
 * The earliest moment. Where that is not known, as logs have not begun to come or do not lead on yet, when the backup was complete: without one a
 * restore would be of the backup alone, though logs may come. What there is by then the Job of a restore sees.
 */
export async function earliestIn(behind: Behind, patienceMs = firstLogMs): Promise<string | undefined> {
  const { backups, database, newest } = behind;
  const earliest = await lookedUp(behind, patienceMs).catch((error: unknown) => {
    // the backup is complete all the same
    log("what the binary logs lead to is not known", { why: textOf(error) });
    return undefined;
  });
  return earliest ?? (await backupsIn(backups, database)).find(({ name }) => name === newest)?.completedAt;
}

async function lookedUp({ backups, database, group }: Behind, patienceMs: number): Promise<string | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const sessions = await sessionsOf(backups, group);
    if (sessions.length > 0) return recoverableFrom(await basesOf(backups, database, group), sessions);
    if (performance.now() > deadline) return undefined;
    await delay(pauseMs);
  }
}
