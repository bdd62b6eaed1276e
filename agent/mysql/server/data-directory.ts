// The data directory: created completely or not at all.
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { exists, syncToDisk } from "../../disk";
import { log } from "../../log";
import { markIn, usedIn } from "../../restore/place";
import { runToEnd } from "../../supervise/run";
import type { MemberSettings } from "../settings";
import { accountStatements } from "./accounts";
import { filesOf } from "./options";

/**
 * Creates an empty server's data directory where there is none. It is created under another name and renamed, so that an unfinished one
 * is never mistaken for data, and it is marked as fresh until the member has been in the group.
 */
export async function ensureDataDirectory(settings: MemberSettings): Promise<void> {
  const files = filesOf(settings);
  await rm(files.temporary, { recursive: true, force: true });
  await mkdir(files.temporary, { recursive: true, mode: 0o700 });
  if (await exists(files.data)) {
    await chmod(files.data, 0o750);
    return;
  }
  log("making the data directory");
  await rm(files.draft, { recursive: true, force: true });
  const statements = `${settings.runDirectory}/accounts.sql`;
  await writeFile(statements, accountStatements(settings), { mode: 0o600 });
  try {
    const args = ["--no-defaults", "--initialize-insecure", "--skip-log-bin", `--datadir=${files.draft}`];
    await runToEnd("mysqld", [...args, `--tmpdir=${files.temporary}`, `--init-file=${statements}`]);
  } finally {
    await rm(statements, { force: true });
  }
  await writeFile(files.fresh, "");
  await rename(files.draft, files.data);
  await syncToDisk(dirname(files.data));
}

/**
 * Removes what a server leaves behind that was killed with its container. By now another program may have its process ID, and the next server
 * would mistake that for its predecessor and refuse to start.
 */
export async function forgetFormerServer(settings: MemberSettings): Promise<void> {
  const { socket, pid } = filesOf(settings);
  for (const file of [socket, `${socket}.lock`, pid]) await rm(file, { force: true });
}

/** Removes incomplete data that was never used: a copy of another member's that failed halfway. */
export async function discardFreshData(settings: MemberSettings): Promise<void> {
  const files = filesOf(settings);
  if (!(await exists(files.fresh))) return;
  log("removing incomplete data that was never used");
  await rm(files.data, { recursive: true, force: true });
}

/** Whether the data are a backup's, and no group that has them was recorded yet. */
export const isUnusedRestore = async ({ volume }: Pick<MemberSettings, "volume">): Promise<boolean> =>
  (await exists(markIn(volume))) && !(await exists(usedIn(volume)));

/** From now on the data counts, and is no longer what a restore has put there alone. */
export async function markUsed(settings: Pick<MemberSettings, "volume" | "runDirectory">): Promise<void> {
  const { volume } = settings;
  const { fresh } = filesOf(settings);
  const [wasFresh, wasRestored] = [await exists(fresh), await isUnusedRestore(settings)];
  if (wasFresh) await rm(fresh);
  // the mark itself stays: by it a restore that is tried again knows that it has ended
  if (wasRestored) await writeFile(usedIn(volume), "");
  if (wasFresh || wasRestored) await syncToDisk(volume);
}
