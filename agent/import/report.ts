// What an import says at its end. It is noted beside the data before they are in place: an attempt that was cut off after that must say it, too.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImportReport } from "../../contract/import";
import { sayLast } from "../backups";

const fileIn = (volume: string): string => join(volume, ".imported");

/** Notes it on the data volume. */
export const noteReport = (volume: string, report: ImportReport): Promise<void> =>
  writeFile(fileIn(volume), JSON.stringify(report));

/** Leaves it for the operator. `say`: default in the pod's termination message. */
export async function tellReport(volume: string, say: (text: string) => Promise<void> = sayLast): Promise<void> {
  const noted = await readFile(fileIn(volume), "utf8").catch(() => undefined);
  if (noted !== undefined) await say(noted);
}
