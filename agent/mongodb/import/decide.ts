// Which databases can be imported here, how they are dumped and loaded, and what is compared. Pure.
import type { ArchivedCollection, Contents } from "../backup/archive";
import type { ServerKind } from "../settings";

/** How many documents each collection has, by `database.collection`. */
type Counts = ReadonlyMap<string, number>;

/** Older ones are not understood by the driver. */
const oldest = 4_004;

/** Why a server of this version cannot be imported; undefined where it can. `own`: the version that this image's server tells. */
export function versionProblem(version: string, own: string): string | undefined {
  const [there, here] = [seriesOf(version), seriesOf(own)];
  if (there < oldest) return `the source is MongoDB ${version}, which is older than 4.4: ${olderAdvice}`;
  return there > here
    ? `the source is MongoDB ${version}, which is newer than ${own}: create the Database with a version that is not older`
    : undefined;
}

/** What to do about one that is too old. */
export const olderAdvice = "upgrade it there first, or dump it with mongodump and load that by hand";

/** As a number that can be compared. */
function seriesOf(version: string): number {
  const [major = 0, minor = 0] = (/^\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major * 1_000 + minor;
}

/** The arguments of mongodump for one database, beside where the server is. */
export const dumpArguments = (database: string, archive: string): string[] => [
  ...["--gzip", `--archive=${archive}`, `--db=${database}`],
];

/**
 * The arguments of mongorestore for it. FerretDB is sent no index: mongorestore gives each an option that it refuses. It has no validators either;
 * documents that are older than theirs are taken in as they are.
 */
export const loadArguments = (database: string, archive: string, server: ServerKind): string[] => [
  ...["--gzip", `--archive=${archive}`, "--stopOnError", `--nsExclude=${database}.system.*`],
  server === "ferretdb" ? "--noIndexRestore" : "--bypassDocumentValidation",
];

/** What a database has beside collections of documents, by `database.name`. */
export interface Others {
  readonly timeSeries: readonly string[];
  readonly views: readonly string[];
}

const mostNamed = 5;
const namesOf = (names: readonly string[]): string =>
  `${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ""}`;

/** Their documents are in collections of the server's own, in a form of its version. */
export const timeSeriesProblem = ({ timeSeries }: Others): string | undefined =>
  timeSeries.length === 0
    ? undefined
    : `time series are not imported: ${namesOf(timeSeries)}; copy them into plain collections at the source, or drop them there, and delete the Job`;

/** Why views are not those of the source; undefined where they are. */
export function viewsProblem(there: Others, here: Others): string | undefined {
  const missing = there.views.filter((name) => !here.views.includes(name));
  return missing.length === 0 ? undefined : `not all has arrived: view ${namesOf(missing)} is missing here`;
}

/** Options of indexes that one server tells and another refuses. */
const notAsked: ReadonlySet<string> = new Set(["v", "ns", "background"]);

/** The same collection, whose indexes can be made by any server. */
export const withPlainIndexes = (one: ArchivedCollection): ArchivedCollection => ({
  ...one,
  indexes: one.indexes.map((index) =>
    Object.fromEntries(Object.entries(index).filter(([option]) => !notAsked.has(option))),
  ),
});

/** The collections of applications in an archive. */
export const collectionsIn = ({ collections }: Pick<Contents, "collections">): readonly ArchivedCollection[] =>
  collections.filter(({ name, documents }) => documents !== undefined && !name.startsWith("system."));

/** How many documents the archive has of each. */
export const countsIn = (collections: readonly ArchivedCollection[]): Counts =>
  new Map(collections.map(({ database, name, documents = 0 }) => [`${database}.${name}`, documents]));

/** Why an archive is not what the source has now, where something was written meanwhile; undefined where nothing shows it. */
export function writtenMeanwhile(
  archived: Counts,
  now: Counts,
  collections: readonly ArchivedCollection[] = [],
): string | undefined {
  const names = [...new Set([...archived.keys(), ...now.keys()])];
  const changed = names.filter((name) => archived.get(name) !== now.get(name));
  if (changed.length === 0) return undefined;
  const expires = collections.some(
    ({ database, name, indexes }) =>
      changed.includes(`${database}.${name}`) && indexes.some((index) => "expireAfterSeconds" in index),
  );
  const expiry = expires
    ? " (documents of it expire: there, set the parameter ttlMonitorEnabled to false until the import has ended)"
    : "";
  return `${namesOf(changed)} changed at the source while it was read: let nothing write there${expiry}, delete the Job, and it begins again`;
}
