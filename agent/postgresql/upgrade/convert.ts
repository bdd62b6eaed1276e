// The conversion of a copy of the former files: no server ever runs with the files themselves, so that they stay what they were.
import { appendFile, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../disk";
import { output } from "../../restore/output";
import { leftOut } from "../restore/decide";
import { analyze } from "./analyze";
import { collationsOf, databasesOf, rebuildIndexes, refreshVersions, updateExtensions } from "./collations";
import type { Conversion } from "./conversion";
import { lookAtFormer } from "./former";
import { upgradeFiles } from "./pg-upgrade";
import { initdbArguments, programOf } from "./reading";
import { Refusal } from "./refusal";
import { requireRoom } from "./room";
import { serving } from "./servers";

/** What people are told of it. */
export interface Converted {
  /** Replication slots that the former server had: none is carried over. */
  readonly slots: readonly string[];
  /** Subscriptions, as `database: name`: they come back disabled. */
  readonly subscriptions: readonly string[];
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
  const { places, from, to, database, superuser, log } = conversion;
  const { former, converted } = places;
  await refuseTablespaces(former);
  await isolate(former, superuser);
  log(`starting PostgreSQL ${from} with the copy`);
  const known = await serving({ data: former, major: from, superuser }, ({ session, open }) =>
    lookAtFormer(session, open, database),
  );
  const control = await output(programOf(from, "pg_controldata"), ["--pgdata", former]);
  log(`making files of PostgreSQL ${to}`);
  await output(programOf(to, "initdb"), [
    ...["--pgdata", converted, "--username", superuser, "--encoding=UTF8", "--locale=C.UTF-8"],
    ...["--auth-local=peer", "--auth-host=scram-sha-256", "--no-sync", ...initdbArguments(control, to)],
  ]);
  log("upgrading");
  await upgradeFiles(conversion, known.relations, control);
  await rm(former, { recursive: true });
  log(`starting PostgreSQL ${to} with what was made`);
  const made = await serving({ data: converted, major: to, superuser }, async ({ session, open }) => {
    const databases = await databasesOf(session);
    log("updating extensions");
    const extensions = await updateExtensions(databases, open);
    log("building indexes again whose collations have changed");
    const indexes = await rebuildIndexes(known.collations, await collationsOf(databases, open, "actual"), open);
    await refreshVersions(databases, open);
    log("analyzing");
    await analyze(conversion, known.parents, open);
    return { extensions, indexes };
  });
  await keepSettings(conversion);
  log("writing all of it to the disk");
  await output("sync", ["--file-system", converted]);
  return { slots: known.slots, subscriptions: known.subscriptions, ...made };
}

async function refuseTablespaces(former: string): Promise<void> {
  const [one] = await readdir(join(former, "pg_tblspc"));
  if (one !== undefined)
    throw new Refusal(`there is a tablespace (pg_tblspc/${one}): move its tables to pg_default, and drop it`);
}

/** What users and Patroni have written has no part in it, nor has what was of a server that was killed. */
async function isolate(former: string, superuser: string): Promise<void> {
  if (await exists(join(former, "standby.signal")))
    throw new Refusal("the files are those of a replica, and may lack what the primary has");
  for (const name of leftOut) await rm(join(former, name), { force: true });
  await copyFile(join(former, "postgresql.auto.conf"), settingsBeside(former));
  await writeFile(join(former, "postgresql.auto.conf"), "");
  await writeFile(join(former, "postgresql.conf"), "huge_pages = off\nshared_buffers = 32MB\n");
  await writeFile(join(former, "pg_hba.conf"), `local all ${superuser} peer\n`);
  await writeFile(join(former, "pg_ident.conf"), "");
}

/** Where what ALTER SYSTEM wrote is meanwhile. */
const settingsBeside = (former: string): string => `${former}.auto.conf`;

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
