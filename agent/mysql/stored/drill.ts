// The newest backup in object storage, copied onto the volume of a drill. No lock is held meanwhile: what retention removes is gone, and then a newer
// one is there.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DrillFinding } from "../../../contract/verification-report";
import { log } from "../../log";
import type { Opened } from "../../object-storage/open";
import { Damaged, Misfit } from "../../object-storage/sealing";
import { ProgramFailed } from "../../restore/output";
import { DrillEnd, endOf, machineFindingOf } from "../../verify/decide";
import { leaveRoom } from "../../verify/newest";
import type { Drill } from "../../verify/run";
import { roomOn } from "../../volume/room";
import { restoreMargin, unfitFor } from "../copies/fit";
import { labelsIn, readContents, readEntry } from "./catalogue";
import { newestAmong, roomProblem } from "./choice";
import type { Named } from "./layout";
import { receive } from "./receiving";
import { groupBackups } from "./restore";

/** What of a drill this needs. */
export type Copying = Pick<Drill, "progress" | "data">;

/** How often a backup may go while it is copied. */
const mostAttempts = 3;

/** Returns when it began, in milliseconds since 1970. Throws a DrillEnd where it cannot be done. `version`: of the server of this image. */
export async function copyNewestStored(opened: Opened, { progress, data }: Copying, version: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const chosen = await newest(opened, progress, data);
    const began = Date.now();
    await rm(data, { recursive: true, force: true });
    try {
      await copy(opened, chosen, { data, version });
      return began;
    } catch (error) {
      if (await isThere(opened, chosen, data)) throw await endOfCopying(error, data);
      if (attempt < mostAttempts) continue;
      throw new DrillEnd("NoBackup", `${attempt} backups were removed while they were copied: try it again`);
    }
  }
}

async function newest(opened: Opened, progress: Drill["progress"], data: string): Promise<Named> {
  const groups = await asked(() => groupBackups(opened), data);
  const chosen = newestAmong(groups);
  if (chosen === undefined) throw new DrillEnd("NoBackup", `${opened.bucket.location} has no complete backup yet`);
  progress.label = chosen.label;
  const isOneOfSeveral = groups.filter(({ labels }) => labels.length > 0).length > 1;
  progress.omitted = isOneOfSeveral ? [`it is of cluster ${chosen.group}, one of several there`] : [];
  return chosen;
}

interface Onto {
  readonly data: string;
  readonly version: string;
}

async function copy(opened: Opened, chosen: Named, { data, version }: Onto): Promise<void> {
  const { label } = chosen;
  const entry = await readEntry(opened, chosen);
  const unfit = unfitFor(label, { manifest: entry, isDump: false }, version);
  if (unfit !== undefined) throw new DrillEnd("VersionMismatch", unfit);
  const { free } = await roomOn(dirname(data));
  const problem = roomProblem(label, { bytes: entry.bytes, margin: restoreMargin(), free });
  if (problem !== undefined) throw new DrillEnd("NoRoom", problem);
  await leaveRoom(data, entry.bytes);
  const contents = await readContents(opened, chosen, entry);
  log("copying", { label, cluster: chosen.group, bytes: entry.bytes });
  await receive(opened, chosen, { contents, to: data, log });
}

/** Whether retention has left it there. */
const isThere = (opened: Opened, { group, label }: Named, data: string): Promise<boolean> =>
  asked(async () => (await labelsIn(opened, group)).includes(label), data);

/** A storage that does not answer says nothing of a backup. */
async function asked<T>(work: () => Promise<T>, data: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await endOfCopying(error, data);
  }
}

const endOfCopying = async (error: unknown, data: string): Promise<DrillEnd> =>
  endOf(error, copyingFindingOf(error), (await roomOn(dirname(data))).free);

/** What it means that a copy failed. What cannot be decompressed or extracted, though its checksums are right, was written so. */
export function copyingFindingOf(error: unknown): DrillFinding {
  if (error instanceof Damaged) return "BackupDamaged";
  if (error instanceof Misfit) return "Interrupted";
  if (error instanceof ProgramFailed) return machineFindingOf(error) ?? "BackupDamaged";
  return isOfTheStream(error) ? "BackupDamaged" : "Interrupted";
}

const isOfTheStream = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(ZSTD_|Z_)/.test(String(error.code));
