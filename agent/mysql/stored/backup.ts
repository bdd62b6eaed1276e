// The program of a backup Job whose backups go to object storage: takes a copy of a member onto the Job's own volume, sends it, and removes what retention
// does not keep. A backup is complete when it has its entry there.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backupName, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, tell, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { openBucket, type Opened } from "../../object-storage/open";
import { mebibytes } from "../../restore/decide";
import { roomOn } from "../../volume/room";
import { cloneTo, isFull } from "../backup/clone";
import { memberAt, primaryTime, sourceOfJob } from "../backup/members";
import { bytesOf, checksumsOf } from "../copies/manifest";
import { leastFor, type Copied } from "../copies/size";
import type { Position } from "../copies/source";
import { backupsIn, requireFit, type Entry } from "./catalogue";
import type { Named } from "./layout";
import { prune } from "./removal";
import { factsOf, withPresent } from "./report";
import { send } from "./sending";

/** What has to do with members. */
export interface Members {
  readonly choose: () => Promise<Position>;
  readonly copyTo: typeof cloneTo;
  readonly time: () => Promise<Date>;
}

/** Runs the program. */
export const runStoredBackup = async (): Promise<void> =>
  backUpTo(await openBucket(), { choose: sourceOfJob, copyTo: cloneTo, time: primaryTime });

/** Takes one. What is on the volume of the Job goes, whatever the end. */
export async function backUpTo(opened: Opened, members: Members): Promise<void> {
  const staging = required("STAGING_DIRECTORY");
  const retention = requiredNumber("BACKUP_RETENTION");
  await withVolume(staging, async () => {
    await removeLeftovers(staging);
    const source = await members.choose();
    const { group } = source;
    await requireFit(opened, group);
    const began = new Date();
    const backup = { group, label: backupName(required("DATABASE_NAME"), began) };
    const entry = await take(opened, backup, { staging, source, members });
    const wanted: Retention = { newest: backup.label, retention, kept: keptLabels() };
    // what is complete counts, whatever becomes of those before: to take another one would remove none of them either
    await prune(opened.bucket, group, wanted).catch((error: unknown) => {
      log("not all is removed that retention does not keep: the next backup tries it again", { why: textOf(error) });
    });
    const facts = factsOf({ began, source, wanted, entry }, opened.bucket.location);
    const { report, present } = withPresent(facts, await backupsIn(opened, group), wanted);
    log("done", { ...report });
    await tell(report, present);
  });
}

interface Taking {
  readonly staging: string;
  readonly source: Position;
  readonly members: Members;
}

/** The copy has a name by which another Job removes it, where this one is killed. */
async function take(opened: Opened, backup: Named, { staging, source, members }: Taking): Promise<Entry> {
  const data = join(staging, `.partial-${backup.label}`);
  const makeRoom = (): Promise<void> => requireRoom(staging, source);
  try {
    await members
      .copyTo(data, { position: source, source: memberAt(source.host), makeRoom })
      .catch((error: unknown) => {
        if (isFull(error)) throw new Error(`${tooSmall} (${textOf(error)})`, { cause: error });
        throw error;
      });
    const copiedAt = (await members.time()).toISOString();
    const files = await checksumsOf(data);
    const { group, server, transactions } = source;
    return await send(opened, backup, {
      data,
      manifest: { group, server, transactions, copiedAt, bytes: bytesOf(files), files },
    });
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

const tooSmall =
  "the copy has no room on the volume that it is made on, which is as large as a data volume: raise spec.storage";

async function requireRoom(staging: string, copied: Copied): Promise<void> {
  const { free } = await roomOn(staging);
  const wanted = leastFor(copied);
  if (wanted > free) throw new Error(`${tooSmall} (it needs ${mebibytes(wanted)}, and ${mebibytes(free)} are free)`);
}
