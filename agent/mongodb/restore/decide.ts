// How an archive is loaded, and whether all of it has arrived. Pure.
import type { ArchivedCollection, Contents } from "../backup/archive";
import type { ServerKind } from "../settings";

/** Bytes that a server writes beside the data: journals of `mongod`, and little of FerretDB's. */
export const restoreMargin = (server: ServerKind): number => (server === "mongod" ? 320 : 16) * 1024 ** 2;

/** Users of the former Database. FerretDB has them in an ordinary collection, in a form that mongorestore takes for a very old one. */
const isUsers = ({ database, name }: Pick<ArchivedCollection, "database" | "name">): boolean =>
  database === "admin" && name.startsWith("system.");

/** The arguments of mongorestore beside where the server is. The first document that is refused ends it: by default it would be left out. */
export function restoreArguments(
  archive: string,
  server: ServerKind,
  { hasOplog }: Pick<Contents, "hasOplog">,
): string[] {
  const common = ["--gzip", `--archive=${archive}`, "--stopOnError"];
  if (server === "mongod") return hasOplog ? [...common, "--oplogReplay"] : common;
  // it sends an option with each index that FerretDB refuses
  return [...common, "--nsExclude", "admin.system.*", "--noIndexRestore"];
}

/** The collections of applications. */
export const collectionsIn = ({ collections }: Contents): readonly ArchivedCollection[] =>
  collections.filter((one) => !isUsers(one) && one.documents !== undefined);

/** An index as it is made again. FerretDB tells its version, and takes none. */
export const indexOf = (index: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(index).filter(([option]) => option !== "v"));

/** What a server has of a collection. */
export interface Arrived {
  readonly documents: number;
  /** Their names. */
  readonly indexes: readonly string[];
}

/** What differs; undefined where nothing does. */
export function differenceOf(
  { database, name, documents, indexes }: ArchivedCollection,
  arrived: Arrived,
): string | undefined {
  const what = `collection ${database}.${name}`;
  if (documents !== arrived.documents)
    return `${what} has ${arrived.documents} documents, and ${documents ?? 0} in the backup`;
  const lacking = indexes.map(({ name: index }) => String(index)).filter((index) => !arrived.indexes.includes(index));
  return lacking.length === 0 ? undefined : `${what} lacks the index ${lacking.join(", ")}`;
}
