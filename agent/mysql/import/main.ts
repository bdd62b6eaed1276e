// The program of the import Job: puts databases of another server where the first member looks for its data (`agent/restore`). Nothing is in place
// before all of it is, and was counted.
import { join } from "node:path";
import { versionIn } from "../../backups";
import { required } from "../../environment";
import { differenceOf, sumOf, type Counts } from "../../import/counts";
import { noteReport, tellReport } from "../../import/report";
import { sourceOf, titleOf, type Source } from "../../import/source";
import { log } from "../../log";
import { output } from "../../restore/output";
import { restoreOnce } from "../../restore/place";
import { socketIn } from "../private-server";
import { filesOf } from "../server/options";
import { countsAt, countsOf } from "./counts";
import { problemOf } from "./decide";
import { enter, lookAt, type Found } from "./origin";
import { inNewServer, owners } from "./target";
import { transfer } from "./transfer";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. */
export async function runImport(): Promise<void> {
  const source = await sourceOf();
  const volume = required("DATA_VOLUME");
  const runDirectory = required("RUN_DIRECTORY");
  const { data } = filesOf({ volume, runDirectory });
  await restoreOnce({ label: titleOf(source), data, log: say }, async (copy) => {
    const found = await look(source);
    const counts = await take({ copy, directory: join(runDirectory, "import") }, source, found);
    const version = versionIn(found.version) ?? found.version;
    const imported = { version, tables: counts.size, rows: sumOf(counts), consistency: "OneMoment" } as const;
    await noteReport(volume, { imported });
  });
  await tellReport(volume);
}

/** Throws where they cannot be imported, before anything is written. */
async function look(source: Source): Promise<Found> {
  const connection = await enter(source);
  try {
    const found = await lookAt(connection, source.databases);
    const own = /\d+(\.\d+)+/.exec(await output("mysqld", ["--version"]))?.[0] ?? "";
    const problem = problemOf(found, source.databases, own);
    if (problem !== undefined) throw new Error(problem);
    return found;
  } finally {
    connection.destroy();
  }
}

interface Places {
  readonly copy: string;
  readonly directory: string;
}

async function take({ copy: data, directory }: Places, source: Source, { tables }: Found): Promise<Counts> {
  const { databases } = source;
  const own = owners();
  let counts: Counts = new Map();
  say("making an empty server");
  await inNewServer({ data, directory, databases }, own, async (sql) => {
    say("loading");
    const passed = await transfer({ source, app: own.app, socket: socketIn(directory), directory });
    counts = countsAt(
      tables.map(({ name }) => name),
      passed,
    );
    const difference = differenceOf(counts, await countsOf(sql, databases));
    if (difference !== undefined) throw new Error(difference);
    log("all rows have arrived", { tables: counts.size, rows: sumOf(counts) });
  });
  return counts;
}
