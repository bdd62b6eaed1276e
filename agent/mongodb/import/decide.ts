// Which databases can be imported here, how they are dumped and loaded, and what is compared. Pure.
import type { ArchivedCollection, Contents } from "../backup/archive";
import type { ServerKind } from "../settings";

/** How many documents each collection has, by `database.collection`. */
type Counts = ReadonlyMap<string, number>;

/** Why a server of this version cannot be imported; undefined where it can. `own`: the version that this image's server tells. */
export function versionProblem(version: string, own: string): string | undefined {
  const [there, here] = [seriesOf(version), seriesOf(own)];
  return there > here
    ? `the source is MongoDB ${version}, which is newer than ${own}: create the Database with a version that is not older`
    : undefined;
}

/** As a number that can be compared. */
function seriesOf(version: string): number {
  const [major = 0, minor = 0] = (/^\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major * 1_000 + minor;
}

/** The arguments of mongodump for one database, beside where the server is. */
export const dumpArguments = (database: string, archive: string): string[] => [
  ...["--gzip", `--archive=${archive}`, `--db=${database}`],
];

/** The arguments of mongorestore for it. FerretDB is sent no index: mongorestore gives each an option that it refuses. */
export const loadArguments = (archive: string, server: ServerKind): string[] => [
  ...["--gzip", `--archive=${archive}`, "--stopOnError", "--nsExclude=*.system.*"],
  ...(server === "ferretdb" ? ["--noIndexRestore"] : []),
];

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
export function writtenMeanwhile(archived: Counts, now: Counts): string | undefined {
  const names = [...new Set([...archived.keys(), ...now.keys()])];
  const changed = names.filter((name) => archived.get(name) !== now.get(name));
  return changed.length === 0
    ? undefined
    : `${changed.slice(0, 5).join(", ")} changed at the source while it was read: let nothing write there, delete the Job, and it begins again`;
}
