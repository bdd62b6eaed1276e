// The copy of a backup in object storage: pgBackRest brings it, and the server that finishes it gets the WAL behind it from there.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { escapeLiteral } from "pg";
import { z } from "zod";
import { scratchDirectory } from "../../../contract/object-storage";
import { exists } from "../../disk";
import { textOf } from "../../log";
import { output } from "../../restore/output";
import { roomOn } from "../../volume/room";
import { clustersIn, type Backup, type ClusterBackups } from "../backup/catalogue";
import { PgBackRest, storageKeys } from "../backup/pgbackrest";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import { choiceAmong, type Choice, type Wish } from "./choice";
import { saysDamage } from "./damage";
import { leftOut } from "./decide";
import { majorOfServer } from "./files";
import { holeAt } from "./hole";
import {
  isConsistent,
  isReached,
  leftBehind,
  missingSegmentIn,
  recoverySettings,
  serverTimeOf,
  whyNotReached,
} from "./recovery";

/** What the server that finishes a copy needs to replay WAL from elsewhere. */
export interface Recovery {
  /** Beside those that every such server has. */
  readonly settings: Readonly<Record<string, string>>;
  /** Beside that of this process: the keys of the storage. */
  readonly environment: Readonly<Record<string, string>>;
  /** Why it did not get where it should, by what it said; undefined where it did, or its own words say why. */
  problem(said: string): Promise<string | undefined>;
  /** Throws where it went beyond the moment. */
  check(session: Session): Promise<void>;
}

const files = { settings: join(scratchDirectory, "source.conf"), missing: join(scratchDirectory, "missing") };

/** Fills `copy`, and says how its WAL is replayed. `repository`: pgBackRest's settings. */
export async function copyStored(
  { repository, wish }: { readonly repository: string; readonly wish: Wish },
  copy: string,
  log: Log,
): Promise<Recovery> {
  await begin(repository);
  const { cluster, backup, older } = await choose(wish, copy);
  const copied = await firstWhole([backup, ...older], log, async ({ label }) => {
    log(`copying ${label} of cluster ${cluster} from ${wish.location}`);
    await copyOne({ cluster, label }, copy);
  });
  await makeRecoverable(copy);
  return recoveryOf(wish, { cluster, backup: copied }, log);
}

/** Lets pgBackRest know where to read, by its settings, and that nothing was missing yet. */
export async function begin(repository: string): Promise<void> {
  await mkdir(scratchDirectory, { recursive: true, mode: 0o700 });
  await writeFile(files.settings, repository);
  await rm(files.missing, { force: true });
}

/** What lies there. `cluster`: undefined for all. */
export const storedClusters = async (cluster?: string): Promise<readonly ClusterBackups[]> =>
  clustersIn(await new PgBackRest(cluster, files.settings).run("info", ["--output=json"]));

/** Copies the files of one backup, and what an attempt has left of them is continued. */
export async function copyOne({ cluster, label }: { cluster: string; label: string }, copy: string): Promise<void> {
  const isBegun = await prepare(copy);
  const options = [`--pg1-path=${copy}`, "--type=none", `--set=${label}`, ...(isBegun ? ["--delta"] : [])];
  await new PgBackRest(cluster, files.settings).run("restore", options);
}

/** Has a server replay WAL onto it from elsewhere. */
export async function makeRecoverable(copy: string): Promise<void> {
  for (const name of leftOut) await rm(join(copy, name), { force: true });
  await writeFile(join(copy, "recovery.signal"), "");
}

/** Copies the first of them whose files are not damaged, and returns it. Throws what the first one failed of where none is. */
export async function firstWhole(
  backups: readonly Backup[],
  log: Log,
  copyOne: (backup: Backup) => Promise<void>,
): Promise<Backup> {
  let first: unknown;
  for (const backup of backups)
    try {
      await copyOne(backup);
      return backup;
    } catch (error) {
      if (!saysDamage(textOf(error))) throw error;
      first ??= error;
      log(`${backup.label} is damaged; its WAL leads from an older one as well, where there is one: ${textOf(error)}`);
    }
  throw first;
}

/** Whether there is what an attempt left that was cut off, so that only what differs is copied. */
async function prepare(copy: string): Promise<boolean> {
  const found = await Promise.all(["PG_VERSION", "backup.manifest"].map((name) => exists(join(copy, name))));
  const isBegun = found.includes(true);
  // without one of them pgBackRest takes the directory for another's
  if (!isBegun) await rm(copy, { recursive: true, force: true });
  // of a server that ended with its container
  await rm(join(copy, "postmaster.pid"), { force: true });
  await mkdir(copy, { recursive: true, mode: 0o700 });
  return isBegun;
}

async function choose(wish: Wish, copy: string): Promise<Choice> {
  const clusters = await storedClusters(wish.cluster);
  const { free } = await roomOn(dirname(copy));
  const left = Number((await output("du", ["--summarize", "--block-size=1", copy]).catch(() => "0")).split("\t")[0]);
  return choiceAmong(clusters, wish, { serverMajor: await majorOfServer(), free: free + left });
}

const Last = z.array(z.tuple([z.string().nullable(), z.boolean()]));

/** What is replayed. `isBounded`: set where WAL that arrives from now on is not judged. Default: it is. */
export interface Replayed extends Pick<Wish, "until"> {
  readonly isBounded?: true;
}

/** How the WAL behind it is replayed. */
export async function recoveryOf(
  { until, isBounded }: Replayed,
  { cluster, backup }: Omit<Choice, "older">,
  log: Log,
): Promise<Recovery> {
  const storage = new PgBackRest(cluster, files.settings);
  // of what arrives later, nothing is expected
  const listed = until.kind === "backup" ? "" : await storage.archived();
  return {
    settings: recoverySettings(until, { settings: files.settings, cluster, missing: files.missing }),
    environment: await storageKeys(files.settings),
    async problem(said) {
      if (isReached(until, said)) return undefined;
      const left = leftBehind(listed, backup.firstSegment, said);
      const isShort = left !== undefined || !isConsistent(said);
      const asked = { missing: await missingSegment(), bound: isBounded && listed, isShort };
      const hole = await holeAt(asked, () => storage.archived());
      return whyNotReached(until, { said, hole, left });
    },
    async check(session) {
      const moment = until.kind === "moment" ? escapeLiteral(serverTimeOf(until.at)) : "'infinity'";
      const last = "pg_last_xact_replay_timestamp()";
      const rows = await session.rows(`SELECT ${last}::text, coalesce(${last} > ${moment}::timestamptz, false)`);
      const [[at, isBeyond] = [null, false]] = Last.parse(rows);
      if (isBeyond) throw new Error(`the WAL was replayed beyond the moment that was asked for: up to ${at ?? "?"}`);
      log(at === null ? "no change behind the backup was taken in" : `the last commit that was taken in: ${at}`);
    },
  };
}

const missingSegment = async (): Promise<string | undefined> =>
  missingSegmentIn(await readFile(files.missing, "utf8").catch(() => ""));
