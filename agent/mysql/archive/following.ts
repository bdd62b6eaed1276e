// One member that is followed: its binary logs come into a directory of their own, and are completed one by one.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "mysql2/promise";
import { syncToDisk } from "../../disk";
import { log } from "../../log";
import { contains } from "../gtid";
import { connectTo, type RemoteArgs } from "../remote";
import { basesOf } from "./bases";
import type { Arrival } from "./group-notes";
import { logsOn, othersOn, progressOf, serversOf, type Progress } from "./member";
import { inOrderOfNumbers, numberOf } from "./names";
import { findStart, footholds, type Start } from "./start";
import { beginSession, completeLog, noteRest, sessionsOf } from "./store";
import { Stream } from "./stream";

/** How long a member may be behind without any news from it, in milliseconds. */
const silenceMs = 30_000;

/** Where, and of whom. */
export interface FollowingArgs {
  readonly backups: string;
  readonly database: string;
  readonly group: string;
  /** Members that may be followed, the best first. */
  readonly hosts: readonly string[];
  readonly remote: Omit<RemoteArgs, "host">;
}

/** A file, and how much of it. */
type Place = Pick<Progress, "file" | "position">;

/** See the header. */
export class Following {
  readonly group: string;
  readonly number: number;
  readonly host: string;
  readonly #directory: string;
  readonly #stream: Stream;
  readonly #connection: Connection;
  #wanted: Arrival | undefined;
  #place: Place | undefined;
  #seen = "";
  #movedAt = performance.now();
  #completed = 0;
  #received = 0;
  #hasArrived = false;

  private constructor(group: string, at: Started) {
    this.group = group;
    this.host = at.host;
    this.number = at.number;
    this.#directory = at.directory;
    this.#stream = at.stream;
    this.#connection = at.connection;
  }

  /** How many bytes have come since it began. */
  get received(): number {
    return this.#received;
  }

  /** Whether all that it had has come once since it began. */
  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  /** Begins where what is there ends. */
  static async begin(args: FollowingArgs): Promise<Following> {
    const { backups, group, remote } = args;
    for (const { directory, open } of await sessionsOf(backups, group))
      for (const name of open) await noteRest(directory, name);
    const { host, log: first } = await startOf(args);
    const connection = await connectTo({ ...remote, host });
    try {
      const number = ((await sessionsOf(backups, group)).at(-1)?.number ?? 0) + 1;
      const member = host.split(".")[0] ?? host;
      const startedAt = new Date().toISOString();
      const whose = { servers: await serversOf(connection), others: await othersOn(connection, group) };
      const beginning = { number, member, startedAt, previous: first.previous, ...whose };
      const directory = await beginSession({ backups, group, ...beginning });
      log("following", { member: host, from: first.name });
      const stream = new Stream(directory, first.name, { ...remote, host });
      return new Following(group, { host, number, directory, connection, stream });
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Completes what is complete. True where all that is wanted is on disk; throws where nothing comes any more. */
  async look(wanted: Arrival | undefined): Promise<boolean> {
    if (this.#stream.end !== undefined) throw new Error(this.#stream.end);
    const progress = await progressOf(this.#connection, this.group);
    if (!progress.isOnline) throw new Error(`${this.host} is not in its group any more`);
    const names = await openIn(this.#directory);
    for (const name of names.slice(0, -1)) {
      this.#completed += await sizeOf(this.#directory, name);
      await completeLog(this.#directory, name);
    }
    const there = await this.#heed(progress, names.at(-1));
    if (wanted !== this.#wanted) [this.#wanted, this.#place] = [wanted, undefined];
    if (wanted === undefined) return false;
    // where the member was when it had all of that: it is further each time
    if (contains(progress.executed, wanted.executed)) this.#place ??= progress;
    const isThere = this.#place !== undefined && reaches(this.#place, there);
    if (isThere) this.#hasArrived = true;
    return isThere;
  }

  async stop(): Promise<void> {
    await this.#stream.stop();
    this.#connection.destroy();
  }

  /** What is on disk of the file that is written to. */
  async #heed({ file, position }: Progress, name: string | undefined): Promise<Place> {
    const size = name === undefined ? 0 : await sizeOf(this.#directory, name);
    const there = { file: name ?? "", position: size };
    this.#received = this.#completed + size;
    const seen = JSON.stringify(there);
    if (seen !== this.#seen || reaches({ file, position }, there)) this.#movedAt = performance.now();
    this.#seen = seen;
    if (performance.now() - this.#movedAt > silenceMs)
      throw new Error(`${this.host} is at ${file}:${position}, and nothing has come of it for ${silenceMs / 1000} s`);
    if (name !== undefined) await syncToDisk(join(this.#directory, name));
    return there;
  }
}

/** Whether what there is goes as far as that. */
export function reaches(place: Place, there: Place): boolean {
  const [one, other] = [numberOf(place.file), numberOf(there.file)];
  return other > one || (other === one && there.position >= place.position);
}

interface Started {
  readonly host: string;
  readonly number: number;
  readonly directory: string;
  readonly connection: Connection;
  readonly stream: Stream;
}

async function startOf({ backups, database, group, hosts, remote }: FollowingArgs): Promise<Start> {
  const known = footholds(await basesOf(backups, database, group), await sessionsOf(backups, group));
  return findStart(hosts, known, async (host, best) => {
    const connection = await connectTo({ ...remote, host });
    try {
      return await logsOn(connection, group, best);
    } finally {
      connection.destroy();
    }
  });
}

/** Those that have no note yet, in their order. */
async function openIn(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const noted = new Set(names);
  return inOrderOfNumbers(names).filter((name) => !noted.has(`${name}.json`));
}

const sizeOf = async (directory: string, name: string): Promise<number> => (await stat(join(directory, name))).size;
