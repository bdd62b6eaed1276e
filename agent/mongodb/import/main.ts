// The program of the import Job: loads databases of another server into a server of its own, on the first member's volume (`agent/restore`), and makes
// the users that a Database has by itself. A dump of each lies beside the data until it is loaded.
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { required } from "../../environment";
import { differenceOf, sumOf, type Counts } from "../../import/counts";
import { noteReport, tellReport } from "../../import/report";
import { sourceOf, titleOf, writeAuthorities, type Source } from "../../import/source";
import { log } from "../../log";
import { mebibytes } from "../../restore/decide";
import { restoreOnce } from "../../restore/place";
import { runToEnd } from "../../supervise/run";
import { contentsOf, type ArchivedCollection } from "../backup/archive";
import { withPrivateServer, type PrivateServer } from "../private-server";
import { compare, makeIndexes } from "../restore/load";
import { dataIn } from "../server-options";
import { serverKind, type ServerKind } from "../settings";
import { ensureAdministrator, ensureUsers } from "../users";
import {
  collectionsIn,
  countsIn,
  dumpArguments,
  loadArguments,
  timeSeriesProblem,
  versionProblem,
  viewsProblem,
  withPlainIndexes,
  writtenMeanwhile,
  type Others,
} from "./decide";
import { authoritiesIn, countsOf, entryOf, othersOf, uriOf, versionOf, withClient, type Entry } from "./origin";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. `port`: of its own server. */
export async function runImport(port?: number): Promise<void> {
  const source = await sourceOf();
  const server = serverKind();
  const data = dataIn(required("DATA_VOLUME"), server);
  const volume = dirname(data);
  await restoreOnce({ label: titleOf(source), data, log: say }, async (copy) => {
    const directory = join(required("RUN_DIRECTORY"), "import");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeAuthorities(source, authoritiesIn(directory));
    const entry = await entryOf(source, directory);
    const { version, others } = await look(source, entry);
    // on the data volume: it has room for as much; what was cut off is removed with the rest
    const archives = `${copy}.dump`;
    await rm(archives, { recursive: true, force: true });
    await mkdir(archives, { recursive: true, mode: 0o700 });
    const counts = await take({ source, entry, archives, server, version, others }, { copy, directory, port });
    await rm(archives, { recursive: true });
    const imported = { version, tables: counts.size, rows: sumOf(counts), consistency: "Torn" } as const;
    await noteReport(volume, { imported });
  });
  await tellReport(volume);
}

/** Throws where something of it is not imported, before it is dumped. */
const look = (source: Source, entry: Entry): Promise<Pick<Taking, "version" | "others">> =>
  withClient(source, entry, async (client) => {
    const others = await othersOf(client, source.databases);
    const problem = timeSeriesProblem(others);
    if (problem !== undefined) throw new Error(problem);
    return { version: await versionOf(client), others };
  });

interface Taking {
  readonly source: Source;
  readonly entry: Entry;
  readonly archives: string;
  readonly server: ServerKind;
  readonly version: string;
  readonly others: Others;
}

interface Place {
  readonly copy: string;
  readonly directory: string;
  readonly port: number | undefined;
}

async function take(taking: Taking, { copy, directory, port }: Place): Promise<Counts> {
  const { source, entry, server, version, others } = taking;
  const collections = await dumpAll(taking);
  const counts = countsIn(collections);
  log("dumped", { collections: counts.size, documents: sumOf(counts) });
  const changed = writtenMeanwhile(
    counts,
    await withClient(source, entry, (client) => countsOf(client, source.databases)),
    collections,
  );
  if (changed !== undefined) throw new Error(changed);
  const password = required("SUPERUSER_PASSWORD");
  const blockCompressor = process.env["BLOCK_COMPRESSOR"];
  await withPrivateServer({ server, data: copy, directory, password, blockCompressor, port }, async (own) => {
    const problem = versionProblem(version, await own.withClient(versionOf));
    if (problem !== undefined) throw new Error(problem);
    await load(taking, collections, own);
    await own.withClient(async (client) => {
      const difference =
        differenceOf(counts, await countsOf(client, source.databases)) ??
        viewsProblem(others, await othersOf(client, source.databases));
      if (difference !== undefined) throw new Error(difference);
      // FerretDB has made it
      if (server === "mongod") await ensureAdministrator(client, password);
      await ensureUsers(client, source.databases);
    });
  });
  return counts;
}

const archiveOf = (archives: string, database: string): string => join(archives, `${database}.archive.gz`);

async function dumpAll({ source, entry, archives }: Taking): Promise<readonly ArchivedCollection[]> {
  const secrets = join(entry.directory, "source.yaml");
  await writeFile(secrets, `password: ${JSON.stringify(source.password)}\n`, { mode: 0o600 });
  const collections: ArchivedCollection[] = [];
  for (const database of source.databases) {
    const archive = archiveOf(archives, database);
    await runToEnd("mongodump", [
      ...["--config", secrets, "--uri", uriOf(source, entry)],
      ...dumpArguments(database, archive),
    ]);
    collections.push(...collectionsIn(await contentsOf(archive)));
    log("read", { database, size: mebibytes((await stat(archive)).size) });
  }
  return collections;
}

async function load(
  { source, archives, server }: Taking,
  all: readonly ArchivedCollection[],
  own: PrivateServer,
): Promise<void> {
  const options = await own.toolOptions();
  for (const database of source.databases)
    await runToEnd("mongorestore", [...options, ...loadArguments(database, archiveOf(archives, database), server)]);
  await own.withClient(async (client) => {
    for (const one of all.map(withPlainIndexes)) {
      if (server === "ferretdb") await makeIndexes(client, one);
      await compare(client, one);
    }
  });
}
