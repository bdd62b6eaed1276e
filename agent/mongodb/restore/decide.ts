// How an archive is loaded, and whether all of it has arrived. Pure.
import type { ArchivedCollection, Contents } from "../backup/archive";
import type { ServerKind } from "../settings";

const mebibyte = 1024 ** 2;

/**
 * Bytes that a server wants beside the data: `mongod` has journals of 100 MiB, and begins no index with less than 500 MB free
 * (`indexBuildMinAvailableDiskSpaceMB`); FerretDB little.
 */
export const restoreMargin = (server: ServerKind): number => (server === "mongod" ? 640 : 16) * mebibyte;

/** Users of the former Database. FerretDB has them in an ordinary collection, in a form that mongorestore takes for a very old one. */
const isUsers = ({ database, name }: Pick<ArchivedCollection, "database" | "name">): boolean =>
  database === "admin" && name.startsWith("system.");

/**
 * The arguments of mongorestore beside where the server is.
 *
 * Without `--stopOnError` it goes past two refusals only (`ignorableWriteErrorCodes` of mongo-tools). One is that of a collection's own
 * validator, which may be younger than its documents: it is not asked. The other is a second document of one `_id`: a dump is no snapshot,
 * so it has one twice that was removed and inserted again while it was read, and the oplog says which counts. A FerretDB's dump has no oplog:
 * there the first refusal ends it.
 */
export function restoreArguments(archive: string, server: ServerKind): string[] {
  const common = ["--gzip", `--archive=${archive}`];
  if (server === "mongod") return [...common, "--bypassDocumentValidation", "--oplogReplay"];
  // it sends an option with each index that FerretDB refuses
  return [...common, "--stopOnError", "--nsExclude", "admin.system.*", "--noIndexRestore"];
}

/** Why a server cannot be given an archive: each has its own form of users, of indexes and of what makes it one moment. */
export function strangerOf(
  label: string,
  server: ServerKind,
  { hasOplog }: Pick<Contents, "hasOplog">,
): string | undefined {
  if (hasOplog === (server === "mongod")) return undefined;
  const [its, ours] = hasOplog ? ["mongod", "FerretDB"] : ["FerretDB", "mongod"];
  return `${label} was taken of ${its}, and the image of this version runs ${ours}: choose a version whose image runs ${its}`;
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
