// What a conversion reads out of what servers and programs say: pure.
import { mebibytes } from "../../restore/decide";

/** Where the image has the programs of a major version. */
export const programOf = (major: string, name: string): string => `/usr/lib/postgresql/${major}/bin/${name}`;

/** What the target writes beside what it takes over: catalogs of its own, WAL, and indexes that are built again. */
const marginBytes = 256 * 1024 ** 2;

/** What is known of the room on the volume, in bytes. */
export interface Room {
  readonly free: number;
  /** What the former files take up. */
  readonly bytes: number;
  /** Whether the file system copies a file without its contents. */
  readonly sharesBlocks: boolean;
}

/** Why there is no room for it; undefined where there is. */
export function roomProblem({ free, bytes, sharesBlocks }: Room): string | undefined {
  const needed = marginBytes + (sharesBlocks ? 0 : bytes);
  if (needed <= free) return undefined;
  const why = sharesBlocks
    ? "the files of the new version"
    : "a copy of the files, as the file system of the volume cannot share their blocks (reflink)";
  return `${why} take up ${mebibytes(needed)}, and the volume has ${mebibytes(free)} free: write a larger storage`;
}

/** What `pg_controldata` says that initdb must be told. */
export function initdbArguments(control: string, major: string): string[] {
  const valueOf = (line: string): string => {
    const value = new RegExp(`^${line}:\\s+(\\d+)$`, "m").exec(control)?.[1];
    if (value === undefined) throw new Error(`pg_controldata says nothing of "${line}": the files are damaged`);
    return value;
  };
  const withChecksums = valueOf("Data page checksum version") !== "0";
  const segment = Number(valueOf("Bytes per WAL segment")) / 1024 ** 2;
  // from this version on they are the default
  const without = Number(major) >= 18 ? ["--no-data-checksums"] : [];
  return [...(withChecksums ? ["--data-checksums"] : without), `--wal-segsize=${segment}`];
}

/** A collation as a server has it, or the default one of a database. */
export interface Collation {
  readonly oid: string;
  /** Of provider, schema and name: the same in both servers. */
  readonly name: string;
  /** Of the library, as it is now. */
  readonly version: string;
}

/** Those that sort by another version of their library than before; one that the former server did not have is not among them. */
export function changedCollations(former: readonly Collation[], present: readonly Collation[]): Collation[] {
  const versions = new Map(former.map(({ name, version }) => [name, version]));
  return present.filter(({ name, version }) => (versions.get(name) ?? version) !== version);
}

/** How many lines of a complaint are told. */
const mostLines = 12;

/** What pg_upgrade printed, without what went well. */
export const complaintIn = (printed: string): string =>
  printed
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/\bok$|^-+$|^Performing |^\*failure\*$/.test(line))
    .slice(-mostLines)
    .join("\n");

/** How much of what programs say is told as the cause. */
const mostErrors = 4;
const longestError = 200;

/** Lines that say what went wrong: what they are about is in others, among them statements with the verifiers of passwords. */
const saysError = /\b(?:ERROR|FATAL|PANIC|error):\s/;
const saysSecret = /SCRAM-SHA-256\$|\bmd5[0-9a-f]{32}\b/;

/** Of logs that pg_upgrade keeps, each told once. */
export const errorsIn = (logs: readonly string[]): string[] =>
  [...new Set(logs.flatMap((log) => log.split("\n")).map((line) => line.trim()))]
    .filter((line) => saysError.test(line) && !saysSecret.test(line))
    .slice(0, mostErrors)
    .map((line) => line.slice(0, longestError));

const leastLocks = 1_024;
/** Each server has as many places as this and `max_connections` allow, which is 100, and two databases are dumped at a time. */
const relationsPerLock = 25;

/** `max_locks_per_transaction` of servers of which each table and index is looked at in one transaction. */
export const locksFor = (former: number, relations: number): number =>
  Math.max(former, leastLocks, Math.ceil(relations / relationsPerLock));
