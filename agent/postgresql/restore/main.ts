// The program of the restore Job: puts a backup where the first member looks for its data (`agent/restore`), as a primary with the passwords
// of its new Database.
import { join } from "node:path";
import { readingVolume } from "../../backup-volume";
import { required } from "../../environment";
import { copyBackup } from "../../restore/copy";
import { labelOn, markOfVolume } from "../../restore/label";
import { restoreOnce } from "../../restore/place";
import { logOf } from "../log";
import { untilOf, type Wish } from "./choice";
import { unfitFor } from "./decide";
import { majorOf, majorOfServer, requireOwnMajor, verifyCopy } from "./files";
import { finish } from "./finish";
import { livingLabel, readingWal, recoveryOnVolume } from "./kept";
import type { Recovery } from "./replaying";
import { copyStored, makeRecoverable } from "./stored";

const log = logOf("restore");

/** Runs the program. */
export async function restore(): Promise<void> {
  process.title = "postgresql-restore";
  const repository = process.env["BACKUP_REPOSITORY"];
  await (repository === undefined ? fromVolume() : fromStorage(repository));
  await requireOwnMajor(required("DATA_DIRECTORY"));
}

async function fromVolume(): Promise<void> {
  const backups = required("BACKUP_DIRECTORY");
  const until = process.env["RESTORE_UNTIL"];
  await restoreOnce({ label: markOfVolume(), data: required("DATA_DIRECTORY"), log }, async (copy) => {
    // the program that keeps the WAL removes none from before the copy on
    await readingWal(backups, async () => {
      let recovery: Recovery | undefined;
      await readingVolume(backups, async () => {
        const wished = await labelOn(backups);
        const label = until === undefined ? wished : await livingLabel(backups, wished, log);
        if (until !== undefined) recovery = await recoveryOnVolume({ backups, label, until: untilOf(until) }, log);
        await copyFrom({ label, backups, copy });
      });
      if (recovery !== undefined) await makeRecoverable(copy);
      await finish(copy, recovery, log);
    });
  });
}

async function fromStorage(repository: string): Promise<void> {
  const until = required("RESTORE_UNTIL");
  const wish: Wish = {
    location: required("BACKUP_LOCATION"),
    cluster: process.env["BACKUP_CLUSTER"],
    label: process.env["BACKUP_LABEL"],
    until: untilOf(until),
  };
  // the same in each attempt
  const label = [wish.label ?? "the newest backup", `of ${wish.location} ${wish.cluster ?? ""}`, until].join(" ");
  await restoreOnce({ label, data: required("DATA_DIRECTORY"), log, resumes: true }, async (copy) => {
    await finish(copy, await copyStored({ repository, wish }, copy, log), log);
  });
}

interface Places {
  readonly label: string;
  readonly backups: string;
  readonly copy: string;
}

async function copyFrom({ label, backups, copy }: Places): Promise<void> {
  const from = join(backups, label);
  const unfit = unfitFor(label, await majorOf(from), await majorOfServer());
  await copyBackup({ label, from, to: copy, backups, unfit, log });
  await verifyCopy(copy, log);
}
