// The complete backups of a group on the volume, which logs lead on from.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups } from "../../backup-volume";
import { summaryOf } from "../copies/manifest";
import { ofOthers, ofSource, parseGtidSet } from "../gtid";
import type { Base } from "./decide";

/** From old to new. Those that earlier images took do not say enough: no log leads on from them. */
export async function basesOf(backups: string, database: string, group: string): Promise<Base[]> {
  const found: Base[] = [];
  for (const name of await completeBackups(backups, database)) {
    const summary = await summaryOf(join(backups, name));
    if (summary?.group !== group || summary.transactions === undefined || summary.copiedAt === undefined) continue;
    const { bytes, copiedAt } = summary;
    const all = parseGtidSet(summary.transactions);
    found.push({ name, bytes, copiedAt, transactions: ofSource(all, group), others: ofOthers(all, group) });
  }
  return found;
}

/** The labels in a file of the pod, which follows what people want; undefined where it is not known. */
export async function keptIn(file: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : new Set(text.trim().split(" "));
}
