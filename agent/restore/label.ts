// Which backup of a volume the restore Job is about.
import { readdir } from "node:fs/promises";
import { newestOf } from "./decide";

/** In the environment of the Job: its name on the volume. Missing: the newest there. */
const wished = (): string | undefined => process.env["BACKUP_LABEL"];

/** What the data that are put in place are known by to a later attempt: there may be a newer backup by then. */
export const markOfVolume = (): string => wished() ?? "the newest backup of the volume";

/** Its name on the volume. Throws where none is named, and none is meant. */
export async function labelOn(backups: string): Promise<string> {
  const label = wished();
  if (label !== undefined) return label;
  const newest = newestOf(await readdir(backups));
  if ("problem" in newest) throw new Error(newest.problem);
  return newest.label;
}
