// The copy of a backup in object storage, for a restore.
import { dirname } from "node:path";
import { log } from "../../log";
import type { Opened } from "../../object-storage/open";
import { Damaged, Misfit } from "../../object-storage/sealing";
import { roomOn } from "../../volume/room";
import { restoreMargin, unfitFor } from "../copies/fit";
import { groupsIn, labelsIn, readContents, readEntry } from "./catalogue";
import { choiceAmong, choosing, roomProblem, type Choice, type GroupBackups, type Wish } from "./choice";
import { receive } from "./receiving";

/** Which one is meant, as the pod has it. */
export function wishOfPod(location: string): Wish {
  const until = process.env["RESTORE_UNTIL"];
  if (until !== undefined && until !== "backup" && until !== "last")
    throw new Error("of MySQL nothing but backups is kept in object storage: leave restore.pointInTime out");
  return { location, cluster: process.env["BACKUP_CLUSTER"], label: process.env["BACKUP_LABEL"] };
}

/** What the data that are put in place are known by to a later attempt: there may be a newer backup by then. */
export const markOf = ({ location, cluster, label }: Wish): string =>
  `${label ?? "the newest backup"} of ${location} ${cluster ?? ""}`.trim();

/** What there is to restore it with. */
export interface Means {
  /** Version of the server of this image, such as "9.7.4". */
  readonly version: string;
  /** The capacity of a member's redo log, in bytes. */
  readonly redo: number;
}

/** The complete backups of each group. */
export async function groupBackups(opened: Pick<Opened, "bucket">): Promise<readonly GroupBackups[]> {
  const found: GroupBackups[] = [];
  for (const group of await groupsIn(opened)) found.push({ group, labels: await labelsIn(opened, group) });
  return found;
}

/** Puts it into `copy`. Throws where it cannot be restored, before anything is written as far as that is known by then. */
export async function copyStored(opened: Opened, wish: Wish, copy: string, { version, redo }: Means): Promise<void> {
  const choice = choiceAmong(await groupBackups(opened), wish);
  const { label } = choice;
  await saying(opened, choice, async () => {
    const entry = await readEntry(opened, choice);
    const unfit = unfitFor(label, { manifest: entry, isDump: false }, version);
    if (unfit !== undefined) throw new Error(unfit);
    const { free } = await roomOn(dirname(copy));
    const problem = roomProblem(label, { bytes: entry.bytes, margin: restoreMargin(redo), free });
    if (problem !== undefined) throw new Error(problem);
    const contents = await readContents(opened, choice, entry);
    log("copying", { label, cluster: choice.group, from: wish.location, bytes: entry.bytes });
    await receive(opened, choice, { contents, to: copy, log });
  });
}

const misfit = "does not fit the passphrase: restore.s3.encryption must be what spec.backup.encryption was";

/** Says what a restore is to do about what cannot be read. */
async function saying(opened: Opened, { group, label, others }: Choice, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Misfit) throw new Error(`${label} ${misfit}`, { cause: error });
    if (!(error instanceof Damaged)) throw error;
    const left = await labelsIn(opened, group);
    if (!left.includes(label))
      throw new Error(`${label} was removed while it was copied, as retention does: ${choosing(left.toReversed())}`, {
        cause: error,
      });
    const message = `${label} is damaged: ${error.message}; look into the storage, and ${choosing(others)}`;
    throw new Error(message, { cause: error });
  }
}
