// The program of the restore Job: puts a backup where the first member looks for its data, as a primary with the passwords of its new Database.
//
// All of it happens beside that place, and the last step is a rename: an attempt that was cut off anywhere leaves nothing that a member
// would use, and the next one begins again. Data that are there stay as they are, and are those of the backup only where a mark says so.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { volumeLock } from "../../backup-volume";
import { exists } from "../../disk";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { roomOn } from "../../volume/room";
import { logOf } from "../log";
import { socketDirectory } from "../server/connection";
import { formerSettings, problemOf, serverArguments } from "./decide";
import { copyBackup, majorOf, output, putInPlace } from "./files";
import { PrivateServer } from "./private-server";
import { takeOver, takeOverSettings } from "./take-over";

const log = logOf("restore");

/** Runs the program. */
export async function restore(): Promise<void> {
  process.title = "postgresql-restore";
  const backups = required("BACKUP_DIRECTORY");
  const label = required("BACKUP_LABEL");
  const data = required("DATA_DIRECTORY");
  const volume = dirname(data);
  // that of a member's program
  await withLock(join(volume, ".lock"), {}, async () => {
    const mark = join(volume, ".restored");
    if (await exists(data)) {
      const whose = await readFile(mark, "utf8").catch(() => "");
      if (whose !== label)
        throw new Error(`the volume has data already that are not those of ${label}: they stay as they are`);
      log(`${label} is in place already`);
      return;
    }
    const copy = join(volume, "restoring");
    // of an attempt that was cut off: what it takes up would count as in use
    await rm(copy, { recursive: true, force: true });
    await withLock(volumeLock(backups), { isShared: true }, () => copyFrom(join(backups, label), copy));
    await finish(copy);
    // before they are in place: an attempt that is cut off then must know them again
    await writeFile(mark, label);
    await putInPlace(copy, data);
    log(`restored ${label}`);
  });
}

/** Nothing is written before it is known that it fits. */
async function copyFrom(backup: string, copy: string): Promise<void> {
  const bytes = Number((await output("du", ["--summarize", "--block-size=1", backup]).catch(() => "0")).split("\t")[0]);
  const problem = problemOf({
    label: required("BACKUP_LABEL"),
    labels: await readdir(dirname(backup)),
    major: await majorOf(backup),
    serverMajor: /\d+/.exec(await output("postgres", ["--version"]))?.[0] ?? "",
    bytes,
    free: (await roomOn(dirname(copy))).free,
  });
  if (problem !== undefined) throw new Error(problem);
  log(`copying ${backup}: ${Math.ceil(bytes / 1024 ** 2)} MiB`);
  await copyBackup(backup, copy, bytes, log);
}

/** Replays the WAL of the copy, and makes it the new Database's own. */
async function finish(copy: string): Promise<void> {
  const directory = join(socketDirectory, "restore");
  await mkdir(directory, { recursive: true });
  const files = { config: join(directory, "postgresql.conf"), hostBasedAuthentication: join(directory, "pg_hba.conf") };
  const superuser = required("SUPERUSER");
  await writeFile(files.config, "");
  await writeFile(files.hostBasedAuthentication, `local all ${superuser} peer\n`);
  const former = formerSettings(await output("pg_controldata", ["--pgdata", copy]));
  log("replaying its WAL");
  const server = new PrivateServer(serverArguments({ data: copy, socket: socketDirectory, ...files }, former));
  try {
    const session = await server.session({
      host: socketDirectory,
      user: superuser,
      program: "restore",
      settings: takeOverSettings,
    });
    const wanted = {
      superuser: { user: superuser, password: required("SUPERUSER_PASSWORD") },
      replication: { user: required("REPLICATION_USER"), password: required("REPLICATION_PASSWORD") },
    };
    await takeOver(session, wanted, log);
    session.close();
    await server.stop();
  } finally {
    server.abandon();
  }
}
