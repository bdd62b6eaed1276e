// The binary logs on the backup volume: below `.binlogs`, by group, in a directory for each time that a member was followed. A file is as its server
// has it; once complete it has a note beside it, `<file>.json`. What has none may end anywhere.
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { syncToDisk } from "../../disk";
import { gtidText, ofSource, parseGtidSet, type GtidSet } from "../gtid";
import { Collected } from "./collected";
import type { KeptLog, Session } from "./decide";
import { scanLog } from "./scan";

/** All of them. */
export const logsIn = (backups: string): string => join(backups, ".binlogs");

/** Held by who removes some, and shared by who reads them. */
export const logsLock = (backups: string): string => join(logsIn(backups), ".lock");

/** Held by the program that copies, for as long as it runs. */
export const writerLock = (backups: string): string => join(logsIn(backups), ".writer");

/** Those of one group. */
export const groupDirectory = (backups: string, group: string): string => join(logsIn(backups), group);

const SessionNote = z.object({ member: z.string(), startedAt: z.string(), previous: z.string() });
const LogNote = z.object({ previous: z.string(), transactions: z.string(), latest: z.number().optional() });
const Arrived = z.object({ at: z.number() });

/** A time that a member was followed, where it is. */
export interface StoredSession extends Session {
  readonly directory: string;
  /** Names of files that are not complete: the last one, at most, unless something was killed. */
  readonly open: readonly string[];
}

/** All of a group, in their order. */
export async function sessionsOf(backups: string, group: string): Promise<StoredSession[]> {
  const directory = groupDirectory(backups, group);
  const names = await readdir(directory).catch((): string[] => []);
  const found: StoredSession[] = [];
  for (const name of names.filter((entry) => /^\d{6,}-/.test(entry)).sort(byNumber)) {
    const session = await sessionIn(join(directory, name), Number.parseInt(name, 10), group);
    if (session !== undefined) found.push(session);
  }
  return found;
}

const byNumber = (one: string, other: string): number => Number.parseInt(one, 10) - Number.parseInt(other, 10);

async function sessionIn(directory: string, number: number, group: string): Promise<StoredSession | undefined> {
  const note = await read(join(directory, "session.json"), SessionNote);
  if (note === undefined) return undefined;
  const files = (await readdir(directory)).filter((name) => /\.\d+$/.test(name)).sort();
  const logs: KeptLog[] = [];
  const incomplete: string[] = [];
  for (const name of files) {
    const log = await keptIn(directory, name, group);
    if (log === undefined) incomplete.push(name);
    else logs.push(log);
  }
  const { member, startedAt, previous } = note;
  return {
    ...{ number, directory, member, startedAt, logs, open: incomplete },
    previous: ofSource(parseGtidSet(previous), group),
  };
}

async function keptIn(directory: string, name: string, group: string): Promise<KeptLog | undefined> {
  const note = await read(join(directory, `${name}.json`), LogNote);
  if (note === undefined) return undefined;
  const { size: bytes } = await stat(join(directory, name));
  const [previous, transactions] = [note.previous, note.transactions].map((text) =>
    ofSource(parseGtidSet(text), group),
  );
  if (previous === undefined || transactions === undefined) return undefined;
  return { name, bytes, previous, transactions, latest: note.latest };
}

async function read<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** It has its name once it is complete and on disk. */
async function write(directory: string, name: string, note: unknown): Promise<void> {
  const draft = join(directory, `${name}.draft`);
  await writeFile(draft, `${JSON.stringify(note)}\n`, { flush: true });
  await rename(draft, join(directory, name));
  await syncToDisk(directory);
}

/** What a session begins with. */
export interface Beginning extends Pick<Session, "number" | "member" | "startedAt" | "previous"> {
  readonly backups: string;
  readonly group: string;
}

/** Makes the directory of another one, and returns it. */
export async function beginSession({ backups, group, number, member, ...note }: Beginning): Promise<string> {
  const directory = join(groupDirectory(backups, group), `${String(number).padStart(6, "0")}-${member}`);
  await mkdir(directory, { recursive: true });
  await write(directory, "session.json", { member, startedAt: note.startedAt, previous: gtidText(note.previous) });
  await syncToDisk(groupDirectory(backups, group));
  return directory;
}

/** Completes a file that is written no more: what it ends with in the middle of a transaction is cut off. One without a beginning goes. */
export async function completeLog(directory: string, name: string, group: string): Promise<KeptLog | undefined> {
  const file = join(directory, name);
  const found = new Collected();
  let latest: number | undefined;
  const scan = await scanLog(file, ({ gtid, committedAt }) => {
    found.add(gtid);
    latest = Math.max(latest ?? 0, committedAt);
  });
  if (scan === undefined) {
    await rm(file, { force: true });
    return undefined;
  }
  const handle = await open(file, "r+");
  try {
    if (!scan.isWhole) await handle.truncate(scan.end);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const note = { previous: scan.previous, transactions: gtidText(found.all()), latest };
  await write(directory, `${name}.json`, note);
  return keptIn(directory, name, group);
}

/** Removes files, their notes last: without its file a note says nothing. */
export async function removeLogs(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await rm(join(directory, `${name}.json`), { force: true });
    await rm(join(directory, name), { force: true });
  }
}

/** Notes that all that was committed until then is there, in microseconds. */
export const noteArrived = (backups: string, group: string, at: number): Promise<void> =>
  write(groupDirectory(backups, group), "arrived.json", { at });

/** The same; undefined where that was never so. */
export const arrivedAt = async (backups: string, group: string): Promise<number | undefined> =>
  (await read(join(groupDirectory(backups, group), "arrived.json"), Arrived))?.at;

/** Of one group, in a set. */
export const ofGroup = (text: string, group: string): GtidSet => ofSource(parseGtidSet(text), group);
