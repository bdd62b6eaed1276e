// The binary logs on the backup volume: below `.binlogs`, by group, in a directory for each time that a member was followed. A file is as its server
// has it; once complete it has a note beside it, `<file>.json`. What has none may end anywhere.
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { isMissing, syncToDisk } from "../../disk";
import { log } from "../../log";
import { gtidText, isOf, noTransactions, ofOthers, ofSource, parseGtidSet, union, type GtidSet } from "../gtid";
import { Collected } from "./collected";
import type { Chained, KeptLog, Session } from "./decide";
import { DamagedNote, readNote, writeNote } from "../../json-file";
import { inOrderOfNumbers } from "./names";
import { scanLog, type Scan } from "./scan";

/** All of them. */
export const logsIn = (backups: string): string => join(backups, ".binlogs");

/** Held by who removes some, and shared by who reads them. */
export const logsLock = (backups: string): string => join(logsIn(backups), ".lock");

/** Held by the program that copies, for as long as it runs. */
export const writerLock = (backups: string): string => join(logsIn(backups), ".writer");

/** Those of one group. */
export const groupDirectory = (backups: string, group: string): string => join(logsIn(backups), group);

/** Of the directory of a session. */
const groupOf = (directory: string): string => basename(dirname(directory));

const SessionNote = z.object({
  member: z.string(),
  startedAt: z.string(),
  previous: z.string(),
  servers: z.array(z.string()).default([]),
  others: z.string().optional(),
});
const LogNote = z.object({
  server: z.string(),
  previous: z.string(),
  transactions: z.string(),
  latest: z.number().optional(),
  end: z.number().optional(),
});

/** A time that a member was followed, where it is. */
export interface StoredSession extends Session {
  readonly directory: string;
  /** UUIDs of the members by then: what one of them did alone is no part of the database. */
  readonly servers: readonly string[];
  /** Names of files that have no note, in their order: the last one, at most, unless something was killed. */
  readonly open: readonly string[];
}

/** Names in a directory; none where there is no such directory. */
const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

/** Whether some were ever kept of a group. Throws where that cannot be seen. */
export const hasLogs = async (backups: string, group: string): Promise<boolean> =>
  (await namesIn(groupDirectory(backups, group))).length > 0;

/** All of a group, in their order. Throws where one cannot be read: without it there would be a gap. */
export async function sessionsOf(backups: string, group: string): Promise<StoredSession[]> {
  const directory = groupDirectory(backups, group);
  const names = await namesIn(directory);
  const found: StoredSession[] = [];
  for (const name of names.filter((entry) => /^\d{6,}-/.test(entry)).sort(byNumber)) {
    const session = await sessionIn(join(directory, name), Number.parseInt(name, 10), group);
    if (session !== undefined) found.push(session);
  }
  return found;
}

/**
 * Another group that has committed on top of what this one had: since a decision, or a restore in place. Undefined where none is kept. What this one has
 * beyond that is given up.
 */
export async function successorOf(backups: string, group: string): Promise<string | undefined> {
  for (const other of (await namesIn(logsIn(backups))).sort()) {
    if (other === group || other.startsWith(".")) continue;
    const directory = groupDirectory(backups, other);
    for (const name of (await namesIn(directory)).filter((entry) => /^\d{6,}-/.test(entry))) {
      const note = await readNote(join(directory, name, "session.json"), SessionNote);
      if (note?.others !== undefined && ofGroup(note.others, group).size > 0) return other;
    }
  }
  return undefined;
}

const byNumber = (one: string, other: string): number => Number.parseInt(one, 10) - Number.parseInt(other, 10);

async function sessionIn(directory: string, number: number, group: string): Promise<StoredSession | undefined> {
  const note = await readNote(join(directory, "session.json"), SessionNote);
  if (note === undefined) return undefined;
  const logs: KeptLog[] = [];
  const incomplete: string[] = [];
  for (const name of inOrderOfNumbers(await namesIn(directory))) {
    const log = await notedIn(directory, name, { group, servers: note.servers });
    if (log === "open") incomplete.push(name);
    else if (log !== "gone") logs.push(log);
  }
  const { member, startedAt, previous, servers } = note;
  return {
    ...{ number, directory, member, startedAt, servers, logs, open: incomplete },
    previous: ofSource(parseGtidSet(previous), group),
  };
}

/**
 * What is known of a file. A note that is damaged is as none: the file has all that is in it. One that was removed meanwhile is none: not all that read
 * have the lock.
 */
async function notedIn(directory: string, name: string, whose: Whose): Promise<KeptLog | "open" | "gone"> {
  const note = await readNote(join(directory, `${name}.json`), LogNote).catch((error: unknown) => {
    if (error instanceof DamagedNote) return undefined;
    throw error;
  });
  const found = await stat(join(directory, name)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === undefined) return "gone";
  if (note === undefined) return "open";
  const { size: bytes } = found;
  const { server, latest, end } = note;
  const all = { previous: parseGtidSet(note.previous), transactions: parseGtidSet(note.transactions) };
  return { name, bytes, server, ...sortedOut(all, whose), latest, end };
}

/** Which transactions count. */
interface Whose {
  readonly group: string;
  readonly servers: readonly string[];
}

/** Those of the group, and those of sources that are neither it nor a member. */
export function sortedOut(
  { previous, transactions }: Chained,
  { group, servers }: Whose,
): Pick<KeptLog, "previous" | "transactions" | "foreign"> {
  const foreign = ofOthers(union(previous, transactions), group, ...servers);
  const own = { previous: ofSource(previous, group), transactions: ofSource(transactions, group) };
  return { ...own, ...(foreign.size > 0 && { foreign }) };
}

/** What a session begins with. */
export interface Beginning extends Pick<Session, "number" | "member" | "startedAt" | "previous"> {
  /** Default: they are not known. */
  readonly servers?: readonly string[];
  /** What its member had executed of others than the group. Default: that is not known. */
  readonly others?: GtidSet;
  readonly backups: string;
  readonly group: string;
}

/** Makes the directory of another one, and returns it. */
export async function beginSession({ backups, group, number, member, ...note }: Beginning): Promise<string> {
  const directory = join(groupDirectory(backups, group), `${String(number).padStart(6, "0")}-${member}`);
  await mkdir(directory, { recursive: true });
  const { startedAt, previous, servers = [], others = noTransactions } = note;
  const texts = { previous: gtidText(previous), others: gtidText(others) };
  await writeNote(directory, "session.json", { member, startedAt, ...texts, servers });
  await syncToDisk(groupDirectory(backups, group));
  return directory;
}

/** What is in a file, as far as it is written. */
export interface Contents {
  /** Undefined where it has no beginning, and so nothing. */
  readonly scan: Scan | undefined;
  readonly transactions: Collected;
  /** Of the group: clocks of other sources are others. */
  readonly latest: number | undefined;
}

/** Reads a file of a session. */
export async function contentsOf(file: string): Promise<Contents> {
  const transactions = new Collected();
  const group = groupOf(dirname(file));
  let latest: number | undefined;
  const scan = await scanLog(file, ({ gtid, committedAt }) => {
    transactions.add(gtid);
    if (isOf(gtid, group)) latest = Math.max(latest ?? 0, committedAt);
  });
  return { scan, transactions, latest };
}

/** Notes a file that the stream has left. Throws where it is not whole: as the member has it, it is copied again. */
export async function completeLog(directory: string, name: string): Promise<void> {
  const contents = await contentsOf(join(directory, name));
  const problem = contents.scan === undefined ? "it has no beginning" : contents.scan.problem;
  if (problem !== undefined) throw new Error(`the copy of ${name} is not whole: ${problem}`);
  await note(directory, name, contents);
}

/**
 * Notes how much counts of a file on which a stream has ended, at any byte. Nothing is cut off: what is behind that may be there all the same, and the
 * next stream begins with this file.
 */
export async function noteRest(directory: string, name: string): Promise<void> {
  const contents = await contentsOf(join(directory, name));
  const { scan = noScan } = contents;
  if (scan.problem !== undefined) log("a file ends early", { file: join(directory, name), why: scan.problem });
  await note(directory, name, { ...contents, scan });
}

const noScan: Scan = { server: "", previous: "", end: 0, problem: "it has no beginning" };

async function note(directory: string, name: string, { scan, transactions, latest }: Contents): Promise<void> {
  const handle = await open(join(directory, name), "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const { server, previous, end, problem } = scan ?? noScan;
  const rest = problem === undefined ? {} : { end };
  await writeNote(directory, `${name}.json`, {
    server,
    previous,
    transactions: gtidText(transactions.all()),
    latest,
    ...rest,
  });
}

/** Removes files, their notes last: without its file a note says nothing. */
export async function removeLogs(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await rm(join(directory, name), { force: true });
    await rm(join(directory, `${name}.json`), { force: true });
  }
}

/** Of one group, in a set. */
export const ofGroup = (text: string, group: string): GtidSet => ofSource(parseGtidSet(text), group);
