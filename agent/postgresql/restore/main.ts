// The program of the restore Job: puts a backup where the first member looks for its data (`agent/restore`), as a primary with the passwords
// of its new Database.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { volumeLock } from "../../backup-volume";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { copyBackup } from "../../restore/copy";
import { output } from "../../restore/output";
import { restoreOnce } from "../../restore/place";
import { logOf } from "../log";
import { socketDirectory } from "../server/connection";
import { formerSettings, serverArguments, unfitFor } from "./decide";
import { majorOf, verifyCopy } from "./files";
import { PrivateServer } from "./private-server";
import { renewIdentifier } from "./system-identifier";
import { takeOver, takeOverSettings } from "./take-over";

const log = logOf("restore");

/** Runs the program. */
export async function restore(): Promise<void> {
  process.title = "postgresql-restore";
  const backups = required("BACKUP_DIRECTORY");
  const label = required("BACKUP_LABEL");
  await restoreOnce({ label, data: required("DATA_DIRECTORY"), log }, async (copy) => {
    await withLock(volumeLock(backups), { isShared: true }, () => copyFrom({ label, backups, copy }));
    await finish(copy);
    await renewIdentifier(copy, log);
  });
}

interface Places {
  readonly label: string;
  readonly backups: string;
  readonly copy: string;
}

async function copyFrom({ label, backups, copy }: Places): Promise<void> {
  const from = join(backups, label);
  const serverMajor = /\d+/.exec(await output("postgres", ["--version"]))?.[0] ?? "";
  const unfit = unfitFor(label, await majorOf(from), serverMajor);
  await copyBackup({ label, from, to: copy, backups, unfit, log });
  await verifyCopy(copy, log);
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
