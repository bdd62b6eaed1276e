// The newest backup, copied onto the volume of the drill: from the backup volume, or from object storage.
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { completeBackups } from "../../backup-volume";
import { textOf } from "../../log";
import { ProgramFailed } from "../../restore/output";
import { DrillEnd, endOf } from "../../verify/decide";
import { copyChosen, leaveRoom, withNewest, type Choosing, type Shelf } from "../../verify/newest";
import type { Drill } from "../../verify/run";
import { roomOn } from "../../volume/room";
import type { Log } from "../log";
import { unfitFor } from "../restore/decide";
import { majorOf, majorOfServer, verifyCopy } from "../restore/files";
import { recoveryOnVolume } from "../restore/kept";
import type { Recovery } from "../restore/replaying";
import { begin, copyOne, makeRecoverable, recoveryOf, storedClusters } from "../restore/stored";
import { newestStored, type Stored } from "./choice";
import { comparisonFindingOf, misfitOf, storedFindingOf } from "./decide";

/** What was copied. */
export interface Copied {
  readonly milliseconds: number;
  /** How WAL that is not in the copy is replayed. Undefined where all of it is there. */
  readonly recovery: Recovery | undefined;
}

/** Of the backup volume. Throws a DrillEnd where it cannot be done. */
export const copyFromVolume = (shelf: Shelf, drill: Choosing & { readonly log: Log }): Promise<Copied> =>
  withNewest(shelf, drill, async ({ label, from }) => {
    const { data, log } = drill;
    const began = Date.now();
    const [major, serverMajor] = [await majorOf(from), await majorOfServer()];
    const unfit = unfitFor(label, major, serverMajor);
    await copyChosen({ label, from, to: data, backups: shelf.backups, unfit, log }, misfitOf(major, serverMajor));
    await compare(data, log);
    const recovery = process.env["WRITE_AHEAD_LOG"] === "kept" ? await walBehind(shelf, label, log) : undefined;
    if (recovery !== undefined) await makeRecoverable(data);
    return { milliseconds: Date.now() - began, recovery };
  });

/** All that is there at this moment. */
async function walBehind({ backups, database }: Shelf, label: string, log: Log): Promise<Recovery | undefined> {
  const recovery = await recoveryOnVolume({ backups, label, until: { kind: "last" }, isBounded: true }, log);
  const isNewest = async (): Promise<boolean> => (await completeBackups(backups, database)).at(-1) === label;
  // to a newer one its WAL gives way where there is no room
  return recovery && whileThere(recovery, isNewest, "another backup was complete");
}

async function compare(data: string, log: Log): Promise<void> {
  try {
    await verifyCopy(data, log);
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    throw endOf(error, comparisonFindingOf(error), (await roomOn(dirname(data))).free);
  }
}

/** Where backups are in object storage: pgBackRest's settings, and the same for people. */
export interface Place {
  readonly repository: string;
  readonly location: string;
}

/** How often a backup may go while it is copied. */
const mostAttempts = 3;

/** Of object storage, where all WAL that is there at this moment is to be replayed. Throws a DrillEnd where it cannot be done. */
export async function copyFromStorage({ repository, location }: Place, drill: Drill): Promise<Copied> {
  const { data, progress, log } = drill;
  await begin(repository);
  for (let attempt = 1; ; attempt++) {
    await rm(data, { recursive: true, force: true });
    await mkdir(dirname(data), { recursive: true });
    const { free } = await roomOn(dirname(data));
    const chosen = newestStored(await storedClusters(), { location, serverMajor: await majorOfServer(), free });
    progress.label = chosen.backup.label;
    progress.omitted = chosen.isOneOfSeveral ? [`it is of cluster ${chosen.cluster}, one of several there`] : [];
    await leaveRoom(data, chosen.backup.size);
    const began = Date.now();
    log(`copying ${chosen.backup.label} of cluster ${chosen.cluster} from ${location}`);
    try {
      await copyOne({ cluster: chosen.cluster, label: chosen.backup.label }, data);
    } catch (error) {
      if (await isThere(chosen)) throw endOf(error, storedFindingOf(textOf(error)), (await roomOn(dirname(data))).free);
      if (attempt < mostAttempts) continue;
      throw new DrillEnd("NoBackup", `${attempt} backups were removed while they were copied: try it again`);
    }
    await makeRecoverable(data);
    const recovery = await recoveryOf({ until: { kind: "last" }, isBounded: true }, chosen, log);
    return { milliseconds: Date.now() - began, recovery: whileThere(recovery, () => isThere(chosen)) };
  }
}

/** With a backup that retention removes WAL goes that it needs: that it is missing then says nothing. `event`: what happened to it. */
export const whileThere = (
  recovery: Recovery,
  isThere: () => Promise<boolean>,
  event = "the backup was removed",
): Recovery => ({
  ...recovery,
  async problem(said) {
    const why = await recovery.problem(said);
    if (why !== undefined && !(await isThere()))
      throw new Error(`${event} while the WAL behind it was replayed: try it again`);
    return why;
  },
});

/** Whether retention has left it there. */
const isThere = async ({ cluster, backup: { label } }: Stored): Promise<boolean> =>
  (await storedClusters(cluster)).some(({ backups }) => backups.some((one) => one.label === label));
