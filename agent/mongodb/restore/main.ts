// The program of the restore Job: loads a backup into a server of its own, on the first member's volume (`agent/restore`), and makes the users
// that a Database has by itself, with the passwords of the new one.
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readingVolume } from "../../backup-volume";
import { required } from "../../environment";
import { log } from "../../log";
import { problemOf } from "../../restore/decide";
import { labelOn, markOfVolume } from "../../restore/label";
import { restoreOnce } from "../../restore/place";
import { roomOn } from "../../volume/room";
import { ArchiveDamaged, contentsOf, type Contents } from "../backup/archive";
import { archiveName } from "../backup/retention";
import { withPrivateServer, type PrivateServerArgs } from "../private-server";
import { dataIn } from "../server-options";
import { serverKind } from "../settings";
import { ensureAdministrator, ensureUsers } from "../users";
import { restoreMargin, strangerOf } from "./decide";
import { load, type Loading } from "./load";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. `port`: of its own server. */
export async function runRestore(port?: number): Promise<void> {
  const backups = required("BACKUP_DIRECTORY");
  const server = serverKind();
  const data = dataIn(required("DATA_VOLUME"), server);
  await restoreOnce({ label: markOfVolume(), data, log: say }, (copy) =>
    readingVolume(backups, async () => {
      const label = await labelOn(backups);
      const archive = join(backups, label, archiveName);
      await judge({ label, backups, archive, copy });
      say(`reading ${label}`);
      const contents = await readArchive(label, archive);
      const stranger = strangerOf(label, server, contents);
      if (stranger !== undefined) throw new Error(stranger);
      say("loading it");
      await fill({ archive, contents, server }, { data: copy, port });
    }),
  );
}

interface Judged {
  readonly label: string;
  readonly backups: string;
  readonly archive: string;
  readonly copy: string;
}

/** Before anything is written. How large the data become is not known: a dump is compressed. */
async function judge({ label, backups, archive, copy }: Judged): Promise<void> {
  const bytes = (await stat(archive).catch(() => undefined))?.size;
  const unfit = bytes === undefined ? `${label} has no ${archiveName}: it is damaged, or of another engine` : undefined;
  const { free } = await roomOn(dirname(copy));
  const labels = await readdir(backups);
  const problem = problemOf({ label, labels, unfit, bytes: bytes ?? 0, free, margin: restoreMargin(serverKind()) });
  if (problem !== undefined) throw new Error(problem);
}

async function readArchive(label: string, archive: string): Promise<Contents> {
  try {
    return await contentsOf(archive);
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    throw new Error(`${label} is damaged: ${error.message}; choose another backup, and look into the storage`, {
      cause: error,
    });
  }
}

async function fill(loading: Loading, place: Pick<PrivateServerArgs, "data" | "port">): Promise<void> {
  const { server } = loading;
  const password = required("SUPERUSER_PASSWORD");
  const args = { server, directory: required("RUN_DIRECTORY"), blockCompressor: process.env["BLOCK_COMPRESSOR"] };
  try {
    await withPrivateServer({ ...place, ...args, password }, async (own) => {
      await load(loading, own);
      await own.withClient(async (client) => {
        // FerretDB has made it
        if (server === "mongod") await ensureAdministrator(client, password);
        await ensureUsers(client);
      });
    });
  } catch (error) {
    const { free } = await roomOn(dirname(place.data));
    if (free >= restoreMargin(server)) throw error;
    const left = `${Math.round(free / 1024 ** 2)} MiB are left on the data volume`;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}; ${left}, which may be too little: write a larger storage`, { cause: error });
  }
}
