// The program of the import Job: puts the data of a database of another server where the first member looks for its own (`agent/restore`), as the
// application's database. Nothing is in place before all of it is, and was counted.
import { dirname } from "node:path";
import { required } from "../../environment";
import { differenceOf, sumOf, type Counts } from "../../import/counts";
import { noteReport, tellReport } from "../../import/report";
import { sourceOf, titleOf, type Source } from "../../import/source";
import { restoreOnce } from "../../restore/place";
import { logOf } from "../log";
import { requireOwnMajor } from "../restore/files";
import type { Session } from "../server/connection";
import { availableOn, extensionsOf, ownTablesOf, planOf, type Extension, type ExtensionPlan } from "./extensions";
import { obstaclesOf } from "./obstacles";
import { enter, holdMoment, versionOf } from "./origin";
import { countsOf, largeObjectsOf } from "./tables";
import { inDatabase, inNewServer, owners, type Owners } from "./target";
import { transfer } from "./transfer";

const log = logOf("import");

/** Where what goes with the pod is. */
const scratch = "/tmp/import";

/** Runs the program. */
export async function importDatabase(): Promise<void> {
  process.title = "postgresql-import";
  const source = await sourceOf();
  const data = required("DATA_DIRECTORY");
  const volume = dirname(data);
  await restoreOnce({ label: titleOf(source), data, log }, async (copy) => {
    const session = await enter(source, log);
    try {
      const moment = await look(session);
      log(`counted ${sumOf(moment.counts)} rows in ${moment.counts.size} tables`);
      await take(copy, source, moment);
      const { version, counts } = moment;
      const imported = { version, tables: counts.size, rows: sumOf(counts), consistency: "OneMoment" } as const;
      await noteReport(volume, { imported });
    } finally {
      session.close();
    }
  });
  await requireOwnMajor(data);
  await tellReport(volume);
}

/** What the source is at one moment. */
interface Moment {
  readonly snapshot: string;
  readonly version: string;
  readonly extensions: readonly Extension[];
  /** Tables of these, by schema and name. */
  readonly ownTables: readonly (readonly [string, string])[];
  /** To count is to hold a lock on each table, so that none is changed or dropped before it was dumped. */
  readonly counts: Counts;
  readonly largeObjects: number;
}

async function look(session: Session): Promise<Moment> {
  const snapshot = await holdMoment(session);
  const obstacles = await obstaclesOf(session);
  if (obstacles !== undefined) throw new Error(obstacles);
  return {
    snapshot,
    version: await versionOf(session),
    extensions: await extensionsOf(session),
    ownTables: await ownTablesOf(session),
    counts: await countsOf(session),
    largeObjects: await largeObjectsOf(session),
  };
}

async function take(copy: string, source: Source, moment: Moment): Promise<void> {
  const own = owners();
  const { app, database } = own;
  await inNewServer(copy, own, log, async () => {
    const { schemas } = await makeExtensions(own, moment.extensions);
    const withoutRows = moment.ownTables;
    if (withoutRows.length > 0)
      log(
        `left out: rows of tables that belong to extensions, ${withoutRows.map((names) => names.join(".")).join(", ")}`,
      );
    await transfer({ source, snapshot: moment.snapshot, app, database, schemas, withoutRows, directory: scratch }, log);
    await inDatabase(own, { user: own.superuser.user }, async (session) => {
      await compare(session, moment);
      log("all rows have arrived; gathering statistics");
      await session.run("ANALYZE");
    });
  });
}

async function makeExtensions(own: Owners, extensions: readonly Extension[]): Promise<ExtensionPlan> {
  const superuser = { user: own.superuser.user };
  const plan = planOf(extensions, await inDatabase(own, superuser, availableOn));
  if ("problem" in plan) throw new Error(plan.problem);
  for (const { by, statement } of plan.making)
    await inDatabase(own, by === "superuser" ? superuser : own.app, (session) => session.run(statement));
  return plan;
}

async function compare(session: Session, { counts, largeObjects }: Moment): Promise<void> {
  const difference = differenceOf(counts, await countsOf(session));
  if (difference !== undefined) throw new Error(difference);
  const arrived = await largeObjectsOf(session);
  if (arrived !== largeObjects)
    throw new Error(`not all has arrived: there are ${arrived} large objects here, and ${largeObjects} at the source`);
}
