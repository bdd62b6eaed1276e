// The conversion of a copy of the former files: no server ever runs with the files themselves, so that they stay what they were.
import { appendFile, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { exists } from "../../disk";
import { output, ProgramFailed } from "../../restore/output";
import type { Log } from "../log";
import { formerSettings, leftOut } from "../restore/decide";
import { takeOverSettings } from "../restore/take-over";
import { socketDirectory, type Session } from "../server/connection";
import { sessionOptions } from "../server/sessions";
import { collationsOf, databasesOf, rebuildIndexes, updateExtensions } from "./collations";
import { complaintIn, initdbArguments, programOf, type Collation } from "./reading";
import { requireRoom } from "./room";
import type { Majors } from "./plan";
import { serving } from "./servers";
import type { Places } from "./volume";

/** What is converted, and by whom. */
export interface Conversion extends Majors {
  readonly places: Pick<Places, "volume" | "data" | "work" | "former" | "converted">;
  readonly superuser: string;
  readonly log: Log;
}

/** What people are told of it. */
export interface Converted {
  /** Replication slots that the former server had: none is carried over. */
  readonly slots: readonly string[];
  /** How many indexes were built again. */
  readonly indexes: number;
  /** Extensions that stay at their former versions. */
  readonly extensions: readonly string[];
}

/** Copies the former files, where there is room for that. */
export async function copyFormer({ places, log }: Conversion): Promise<void> {
  const { data, work, former } = places;
  await mkdir(work);
  const { sharesBlocks } = await requireRoom(places, data);
  log(sharesBlocks ? "copying the files, by their blocks" : "copying the files, with their contents");
  await output("cp", ["--archive", "--reflink=auto", data, former]);
}

/** Makes files of the target out of the copy. Returns what is to be told. Whatever it throws, the former files are as they were. */
export async function convert(conversion: Conversion): Promise<Converted> {
  const { places, from, to, superuser, log } = conversion;
  const { former, converted } = places;
  await refuseTablespaces(former);
  await isolate(former, superuser);
  log(`starting PostgreSQL ${from} with the copy`);
  const known = await serving({ data: former, major: from, superuser }, ({ session, open }) => lookAt(session, open));
  const control = await output(programOf(from, "pg_controldata"), ["--pgdata", former]);
  log(`making files of PostgreSQL ${to}`);
  await output(programOf(to, "initdb"), [
    ...["--pgdata", converted, "--username", superuser, "--encoding=UTF8", "--locale=C.UTF-8"],
    ...["--auth-local=peer", "--auth-host=scram-sha-256", "--no-sync", ...initdbArguments(control, to)],
  ]);
  log("upgrading");
  await upgradeFiles(conversion, control);
  await rm(former, { recursive: true });
  log(`starting PostgreSQL ${to} with what was made`);
  const made = await serving({ data: converted, major: to, superuser }, async ({ session, open }) => {
    const databases = await databasesOf(session);
    log("updating extensions");
    const extensions = await updateExtensions(databases, open);
    log("building indexes again whose collations have changed");
    const indexes = await rebuildIndexes(known.collations, await collationsOf(databases, open), open);
    log("analyzing");
    await analyze(conversion);
    return { extensions, indexes };
  });
  await keepSettings(conversion);
  log("writing all of it to the disk");
  await output("sync", ["--file-system", converted]);
  return { slots: known.slots, ...made };
}

async function refuseTablespaces(former: string): Promise<void> {
  const [one] = await readdir(join(former, "pg_tblspc"));
  if (one !== undefined)
    throw new Error(`there is a tablespace (pg_tblspc/${one}): move its tables to pg_default, and drop it`);
}

/** What users and Patroni have written has no part in it, nor has what was of a server that was killed. */
async function isolate(former: string, superuser: string): Promise<void> {
  if (await exists(join(former, "standby.signal")))
    throw new Error("the files are those of a replica, and may lack what the primary has");
  for (const name of leftOut) await rm(join(former, name), { force: true });
  await copyFile(join(former, "postgresql.auto.conf"), settingsBeside(former));
  await writeFile(join(former, "postgresql.auto.conf"), "");
  await writeFile(join(former, "postgresql.conf"), "huge_pages = off\nshared_buffers = 32MB\n");
  await writeFile(join(former, "pg_hba.conf"), `local all ${superuser} peer\n`);
  await writeFile(join(former, "pg_ident.conf"), "");
}

/** Where what ALTER SYSTEM wrote is meanwhile. */
const settingsBeside = (former: string): string => `${former}.auto.conf`;

const Texts = z.array(z.tuple([z.string()]));

interface Known {
  readonly slots: readonly string[];
  readonly collations: ReadonlyMap<string, readonly Collation[]>;
}

async function lookAt(session: Session, open: Parameters<typeof collationsOf>[1]): Promise<Known> {
  const prepared = Texts.parse(await session.rows("SELECT gid FROM pg_catalog.pg_prepared_xacts ORDER BY 1 LIMIT 1"));
  if (prepared[0] !== undefined)
    throw new Error(`there are prepared transactions ("${prepared[0][0]}"): commit them, or roll them back`);
  const slots = Texts.parse(
    await session
      .rows(
        "SELECT slot_name::text, pg_drop_replication_slot(slot_name)::text FROM pg_catalog.pg_replication_slots WHERE NOT temporary ORDER BY 1",
      )
      .then((rows) => rows.map(([name]) => [name])),
  ).flat();
  return { slots, collations: await collationsOf(await databasesOf(session), open) };
}

async function upgradeFiles({ places, from, to, superuser }: Conversion, control: string): Promise<void> {
  const { work, former, converted } = places;
  const locks = `-c max_locks_per_transaction=${formerSettings(control).max_locks_per_transaction}`;
  const options = `${locks} -c huge_pages=off`;
  try {
    await output(
      programOf(to, "pg_upgrade"),
      [
        ...["--link", "--no-sync", "--jobs=2", `--username=${superuser}`, `--socketdir=${socketDirectory}`],
        ...[`--old-bindir=${programOf(from, "")}`, `--new-bindir=${programOf(to, "")}`],
        ...[`--old-datadir=${former}`, `--new-datadir=${converted}`],
        ...[`--old-options=${options}`, `--new-options=${options}`],
      ],
      { directory: work },
    );
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    const why = `pg_upgrade failed:\n${complaintIn(error.printed)}${await reportsIn(converted)}`;
    throw new Error(why, { cause: error });
  }
}

/** How much of the files is told in which pg_upgrade lists what is in its way. */
const mostOfReport = 500;

/** What pg_upgrade points to, as files go with the pod. */
async function reportsIn(converted: string): Promise<string> {
  const output = join(converted, "pg_upgrade_output.d");
  const names = (await readdir(output, { recursive: true }).catch(() => [])).filter((name) => name.endsWith(".txt"));
  const texts = names.map(async (name) => {
    const text = await readFile(join(output, name), "utf8");
    return `\n${name}:\n${text.slice(0, mostOfReport)}`;
  });
  return (await Promise.all(texts)).join("");
}

/** From this version on pg_upgrade keeps most of them. */
const keepsStatistics = 18;

async function analyze({ to, superuser }: Conversion): Promise<void> {
  const missing = Number(to) >= keepsStatistics ? ["--missing-stats-only"] : [];
  const args = [
    "--all",
    "--analyze-only",
    "--jobs=2",
    ...missing,
    `--host=${socketDirectory}`,
    `--username=${superuser}`,
  ];
  // whatever users set for the superuser's sessions
  const environment = { PGOPTIONS: sessionOptions(takeOverSettings) };
  await output(programOf(to, "vacuumdb"), args, { environment });
}

/** What ALTER SYSTEM wrote stays, where the target starts with it. */
async function keepSettings({ places: { former, converted }, to, log }: Conversion): Promise<void> {
  const text = await readFile(settingsBeside(former), "utf8");
  const file = join(converted, "postgresql.auto.conf");
  const empty = await readFile(file, "utf8");
  await appendFile(file, text);
  const problem = await output(programOf(to, "postgres"), ["-D", converted, "-C", "data_directory"]).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem === undefined) return;
  await writeFile(file, empty);
  log(`what ALTER SYSTEM had set is left out, as PostgreSQL ${to} does not start with it: ${problem}`);
}
