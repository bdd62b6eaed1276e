// The program of the restore Job: puts a backup where the first member looks for its data (`agent/restore`), with the passwords of its new
// Database, and as a server that follows none.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readingVolume } from "../../backup-volume";
import { exists } from "../../disk";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { log } from "../../log";
import { copyBackup } from "../../restore/copy";
import { mebibytes } from "../../restore/decide";
import { labelOn, markOfVolume } from "../../restore/label";
import { restoreOnce } from "../../restore/place";
import { openBucket } from "../../object-storage/open";
import { logsLock } from "../archive/store";
import { checksumsOf, damageIn, dataIn, manifestOf, type Manifest } from "../copies/manifest";
import { filesOf } from "../server/options";
import { versionOfServer } from "../server/version";
import { copyStored, markOf, wishOfPod } from "../stored/restore";
import { restoreMargin, unfitFor } from "../copies/fit";
import { noLogsBehind } from "./readable";
import { foresee, type Foreseen } from "./foresight";
import { replay } from "./replay";
import { takeOver, type Owners } from "./take-over";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. */
export const runRestore = (): Promise<void> =>
  process.env["BACKUP_STORAGE"] === undefined ? fromVolume() : fromStorage();

async function fromStorage(): Promise<void> {
  const opened = await openBucket();
  const wish = wishOfPod(opened.bucket.location);
  const { data, directory } = placesOfPod();
  await restoreOnce({ label: markOf(wish), data, log: say }, async (copy) => {
    await copyStored(opened, wish, copy, { version: await versionOfServer(), redo: redoOfPod() });
    await takeOver(copy, directory, ownersOfPod());
  });
}

async function fromVolume(): Promise<void> {
  const backups = required("BACKUP_DIRECTORY");
  const { data, directory } = placesOfPod();
  const until = process.env["RESTORE_UNTIL"];
  const superuser = required("SUPERUSER_PASSWORD");
  await restoreOnce({ label: markOfVolume(), data, log: say }, async (copy) => {
    const scratch = join(dirname(copy), "restoring-logs");
    const version = await versionOfServer();
    const copied = (foreseen?: Foreseen): Promise<Manifest> => copyFrom({ backups, copy, version, foreseen });
    if (until === undefined) await copied();
    // the archive removes none from before the copy on
    else {
      const label = await labelOn(backups);
      await withLogs(backups, label, async () => {
        const manifest = await manifestOf(join(backups, label));
        const foreseen =
          manifest && (await foresee({ label, group: manifest.group, backups, until }, manifest, version));
        if (foreseen?.refusal !== undefined) throw new Error(foreseen.refusal);
        const { group } = await copied(foreseen);
        const parameters = Parameters.parse(JSON.parse(process.env["REPLAY_PARAMETERS"] ?? "{}"));
        const place = { data: copy, directory, scratch };
        await replay({ label, group, backups, until, superuser, version, parameters, ...place });
      });
    }
    await rm(scratch, { recursive: true, force: true });
    await takeOver(copy, directory, ownersOfPod());
  });
}

/** Where the data come to be, and where the server that takes them over has its files. */
function placesOfPod(): { readonly data: string; readonly directory: string } {
  const runDirectory = required("RUN_DIRECTORY");
  const { data } = filesOf({ volume: required("DATA_VOLUME"), runDirectory });
  return { data, directory: join(runDirectory, "restore") };
}

/** The capacity of the redo log of a member. */
const redoOfPod = (): number => Number(process.env["REDO_LOG_BYTES"] ?? 0);

const ownersOfPod = (): Owners => ({
  passwords: { superuser: required("SUPERUSER_PASSWORD"), replication: required("REPLICATION_PASSWORD") },
  others: [
    { user: required("APP_USER"), password: required("APP_PASSWORD") },
    { user: required("MONITOR_USER"), password: required("MONITOR_PASSWORD") },
  ],
});

/** Does the work while no binary logs of the volume are removed. */
async function withLogs(backups: string, label: string, work: () => Promise<void>): Promise<void> {
  if (!(await exists(logsLock(backups)))) throw new Error(noLogsBehind(label));
  await withLock(logsLock(backups), { isShared: true }, work);
}

interface Places {
  readonly backups: string;
  readonly copy: string;
  readonly version: string;
  /** Of a replay; missing where none follows, or nothing is known of it. */
  readonly foreseen?: Foreseen | undefined;
}

/** Copies it while no backup of the volume is removed, and compares the copy with what was written when it was taken. */
async function copyFrom({ backups, copy, version, foreseen }: Places): Promise<Manifest> {
  let copied: Manifest | undefined;
  await readingVolume(backups, async () => {
    const label = await labelOn(backups);
    const backup = join(backups, label);
    const manifest = await manifestOf(backup);
    const isDump = await exists(join(backup, "dump.sql.gz"));
    const unfit = unfitFor(label, { manifest, isDump }, version);
    const margin = restoreMargin(redoOfPod(), foreseen);
    if (foreseen !== undefined)
      say(`${mebibytes(foreseen.replayed)} of binary logs follow: data grow by what they add`);
    await copyBackup({ label, from: dataIn(backup), to: copy, backups, unfit, margin, log: say });
    if (manifest === undefined) throw new Error(`${label} has no manifest`);
    say("copied; verifying");
    const damage = damageIn(await checksumsOf(copy), manifest);
    if (damage !== undefined)
      throw new Error(`${label} is damaged: ${damage}; choose another backup, and look into the storage`);
    copied = manifest;
  });
  if (copied === undefined) throw new Error("unreachable: it was copied");
  return copied;
}

const Parameters = z.record(z.string(), z.string());
