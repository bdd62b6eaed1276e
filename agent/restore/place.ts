// Where a restore puts data: beside the place where a member looks for them, until they are complete. The last step is a rename: an attempt
// that was cut off anywhere leaves nothing that a member would use, and the next one begins again. Data that are there stay as they are, and
// are those of the backup only where a mark says so.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists, syncToDisk } from "../disk";
import { withLock } from "../lock";
import { output } from "./output";

/** Which data, and where. */
export interface Restoring {
  /** Of the backup. */
  readonly label: string;
  /** The directory where the first member looks, right below its volume. */
  readonly data: string;
  readonly log: (message: string) => void;
  /** Set where `fill` continues with what an attempt left that was cut off. Default: that is removed. */
  readonly resumes?: true;
}

/** Says of which backup the data of a volume are: for the next attempt of a restore, for as long as they are there. */
export const markIn = (volume: string): string => join(volume, ".restored");

/** Beside it once these data were used: they may have changed since, and be those of a member among others. */
export const usedIn = (volume: string): string => join(volume, ".restored-used");

/** Has `fill` make the data in a directory that it is given, and puts them in place. Throws where other data are there already. */
export async function restoreOnce(
  { label, data, log, resumes }: Restoring,
  fill: (copy: string) => Promise<void>,
): Promise<void> {
  const volume = dirname(data);
  // that of a member's program
  await withLock(join(volume, ".lock"), {}, async () => {
    const mark = markIn(volume);
    if (await exists(data)) {
      const whose = await readFile(mark, "utf8").catch(() => "");
      if (whose !== label)
        throw new Error(`the volume has data already that are not those of ${label}: they stay as they are`);
      log(`${label} is in place already`);
      return;
    }
    const copy = join(volume, "restoring");
    // of an attempt that was cut off: what it takes up would count as in use
    if (resumes !== true) await rm(copy, { recursive: true, force: true });
    await fill(copy);
    // of data that were there before
    await rm(usedIn(volume), { force: true });
    // before they are in place: an attempt that is cut off then must know them again
    await writeFile(mark, label);
    await output("sync", ["--file-system", copy]);
    await rename(copy, data);
    await syncToDisk(volume);
    log(`restored ${label}`);
  });
}
