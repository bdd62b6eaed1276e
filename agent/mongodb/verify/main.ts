// The program of MongoDB's restore drill (`agent/verify`): loads the newest backup into a server of its own, compares what arrived with what is in the
// archive, and has a mongod validate it.
import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MongoClient } from "mongodb";
import { z } from "zod";
import { isMissing } from "../../disk";
import { required } from "../../environment";
import { log, textOf } from "../../log";
import { DrillEnd } from "../../verify/decide";
import { leaveRoom, requireFit, withNewest, type Chosen } from "../../verify/newest";
import { runDrill, step, type Drill } from "../../verify/run";
import { roomOn } from "../../volume/room";
import { ArchiveDamaged, contentsOf, type Contents } from "../backup/archive";
import { archiveName } from "../backup/retention";
import { withPrivateServer, type PrivateServer } from "../private-server";
import { collectionsIn, restoreMargin, strangerOf } from "../restore/decide";
import { load } from "../restore/load";
import { dataIn } from "../server-options";
import { serverKind, type ServerKind } from "../settings";
import { loadFindingOf, toldOf } from "./findings";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. `port`: of its own server. Throws where the drill did not pass. */
export async function runVerify(port?: number): Promise<void> {
  const server = serverKind();
  const data = dataIn(required("DATA_VOLUME"), server);
  const shelf = { backups: required("BACKUP_DIRECTORY"), database: required("DATABASE_NAME") };
  await runDrill({ data, log: say }, (drill) =>
    withNewest(shelf, drill, (chosen) => tryOut({ drill, chosen, backups: shelf.backups, server, port })),
  );
}

interface Tried {
  readonly drill: Drill;
  readonly chosen: Chosen;
  readonly backups: string;
  readonly server: ServerKind;
  readonly port: number | undefined;
}

async function tryOut(tried: Tried): Promise<void> {
  const { drill, chosen, server, port } = tried;
  const began = Date.now();
  const archive = join(chosen.from, archiveName);
  const contents = await step(drill, "the backup was read", () => read(tried, archive));
  const password = randomBytes(24).toString("base64url");
  const place = { data: drill.data, directory: required("RUN_DIRECTORY"), port, over: drill.over };
  const own = { ...place, server, password, blockCompressor: process.env["BLOCK_COMPRESSOR"] };
  const loading = { archive, contents, server };
  const work = async (into: PrivateServer): Promise<void> => {
    await load(loading, into);
    drill.progress.recoverySeconds = Math.ceil((Date.now() - began) / 1000);
    drill.progress.stage = "what was restored was validated";
    if (server === "mongod") await into.withClient((client) => validateAll(client, contents));
  };
  const loaded = (): Promise<void> =>
    withPrivateServer(own, work).catch((error: unknown) => {
      log("the backup was not loaded", { why: textOf(error) });
      throw toldOf(error);
    });
  await step({ ...drill, wanted: restoreMargin(server) }, "the backup was loaded", loaded, loadFindingOf);
}

/** Reads it to its end. Throws a DrillEnd where it is not whole, or cannot be loaded here. */
async function read({ drill, chosen, backups, server }: Tried, archive: string): Promise<Contents> {
  const { label } = chosen;
  const bytes = await sizeOf(archive);
  const unfit = bytes === undefined ? `${label} has no ${archiveName}: it is damaged` : undefined;
  const { free } = await roomOn(dirname(drill.data));
  const found = {
    label,
    labels: await readdir(backups),
    unfit,
    bytes: bytes ?? 0,
    free,
    margin: restoreMargin(server),
  };
  requireFit(found, unfit === undefined ? undefined : "damage");
  say(`reading ${label}`);
  const contents = await contentsOf(archive).catch((error: unknown) => {
    throw error instanceof ArchiveDamaged ? new DrillEnd("BackupDamaged", error.message) : error;
  });
  const stranger = strangerOf(label, server, contents);
  if (stranger !== undefined) throw new DrillEnd("VersionMismatch", stranger);
  await leaveRoom(drill.data, contents.bytes);
  return contents;
}

const sizeOf = async (file: string): Promise<number | undefined> => {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const Validated = z.looseObject({ valid: z.boolean() });

/** Of a collection that is not there: a change that was made while the backup was taken has removed it. */
const namespaceNotFound = 26;

/** Has the server read each document and each index of all collections, and compare them. */
export async function validateAll(client: MongoClient, contents: Contents): Promise<void> {
  for (const { database, name } of collectionsIn(contents)) {
    const answer = await client
      .db(database)
      .command({ validate: name, full: true })
      .catch((error: unknown) => {
        const isGone = error instanceof Error && "code" in error && error.code === namespaceNotFound;
        if (isGone && contents.changes > 0) return { valid: true };
        throw error;
      });
    if (Validated.parse(answer).valid) continue;
    log("a collection is not valid", { database, name, answer });
    throw new DrillEnd("DataDamaged", `collection ${database}.${name} is not valid; the log of the drill says how`);
  }
}
