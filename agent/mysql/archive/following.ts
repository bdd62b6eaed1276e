// One member that is followed: its binary logs come into a directory of their own, and are completed one by one.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "mysql2/promise";
import { syncToDisk } from "../../disk";
import { log } from "../../log";
import { contains, union } from "../gtid";
import { connectTo, type RemoteArgs } from "../remote";
import type { Position } from "../backup/source";
import { basesOf } from "./bases";
import { transactionsIn } from "./decide";
import { progressOf, startOn, type Horizon, type Progress } from "./member";
import { beginSession, completeLog, sessionsOf } from "./store";
import { Stream } from "./stream";

/** How long a member may be behind without any news from it, in milliseconds. */
const silenceMs = 30_000;

/** Where, and of whom. */
export interface FollowingArgs {
  readonly backups: string;
  readonly database: string;
  readonly source: Pick<Position, "group" | "host">;
  readonly remote: RemoteArgs;
}

/** See the header. */
export class Following {
  readonly group: string;
  readonly number: number;
  readonly #host: string;
  readonly #directory: string;
  readonly #stream: Stream;
  readonly #connection: Connection;
  #size = -1;
  #movedAt = performance.now();

  private constructor({ group, host }: FollowingArgs["source"], at: Started) {
    this.group = group;
    this.#host = host;
    this.number = at.number;
    this.#directory = at.directory;
    this.#stream = at.stream;
    this.#connection = at.connection;
  }

  /** Begins where what is there ends. */
  static async begin({ backups, database, source, remote }: FollowingArgs): Promise<Following> {
    const { group, host } = source;
    for (const { directory, open } of await sessionsOf(backups, group))
      for (const name of open) await completeLog(directory, name, group);
    const sessions = await sessionsOf(backups, group);
    const newest = (await basesOf(backups, database, group)).at(-1);
    const known =
      newest === undefined ? transactionsIn(sessions) : union(transactionsIn(sessions), newest.transactions);
    const connection = await connectTo(remote);
    try {
      const { name, previous } = await startOn(connection, group, known);
      const number = (sessions.at(-1)?.number ?? 0) + 1;
      const member = host.split(".")[0] ?? host;
      const startedAt = new Date().toISOString();
      const directory = await beginSession({ backups, group, number, member, startedAt, previous });
      log("following", { member: host, from: name });
      return new Following(source, { number, directory, connection, stream: new Stream(directory, name, remote) });
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Completes what is complete. True where all that the primary had is on disk; throws where nothing comes any more. */
  async look({ executed }: Horizon): Promise<boolean> {
    if (this.#stream.end !== undefined) throw new Error(this.#stream.end);
    const progress = await progressOf(this.#connection, this.group);
    if (!progress.isOnline) throw new Error(`${this.#host} is not in its group any more`);
    const names = await logsIn(this.#directory);
    for (const name of names.slice(0, -1)) await completeLog(this.#directory, name, this.group);
    const isThere = await this.#has(progress, names.at(-1));
    return isThere && contains(progress.executed, executed);
  }

  async stop(): Promise<void> {
    await this.#stream.stop();
    this.#connection.destroy();
  }

  async #has({ file, position }: Progress, name: string | undefined): Promise<boolean> {
    const path = name === undefined ? undefined : join(this.#directory, name);
    const size = path === undefined ? 0 : (await stat(path)).size;
    const isThere = name === file && size >= position;
    if (isThere || size !== this.#size) this.#movedAt = performance.now();
    this.#size = size;
    if (performance.now() - this.#movedAt > silenceMs)
      throw new Error(`${this.#host} is at ${file}:${position}, and nothing has come of it for ${silenceMs / 1000} s`);
    if (path !== undefined) await syncToDisk(path);
    return isThere;
  }
}

interface Started {
  readonly number: number;
  readonly directory: string;
  readonly connection: Connection;
  readonly stream: Stream;
}

/** Those that have no note yet, in their order. */
async function logsIn(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const noted = new Set(names);
  return names.filter((name) => /\.\d+$/.test(name) && !noted.has(`${name}.json`)).sort();
}
