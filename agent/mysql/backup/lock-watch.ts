// Watches, from a connection of its own, whether others wait for locks that a dump holds, and ends the dump where that lasts too long. A
// change of a table that waits on a replica blocks everything that comes after it there, until the group slows the primary down; on a
// single member it blocks all users of the table.
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mysql2/promise";
import { z } from "zod";
import { log, textOf } from "../../log";
import { connectTo, type RemoteArgs } from "../remote";
import { longestWaitMs, LockWait, remembered, tooLong, type WaitingSince } from "./lock-waits";

const pauseMs = 1_000;
const patienceMs = 5_000;

/**
 * Requests that no reader is compatible with, for tables of which a dump has one. Its connections are those of this account from this pod,
 * except the watching one.
 */
const statement = `
  SELECT DISTINCT waiting.OWNER_THREAD_ID AS thread, CONCAT(held.OBJECT_SCHEMA, '.', held.OBJECT_NAME) AS \`table\`,
    dump.PROCESSLIST_ID AS holder
  FROM performance_schema.threads AS me
    JOIN performance_schema.threads AS dump
      ON dump.PROCESSLIST_USER = me.PROCESSLIST_USER AND dump.PROCESSLIST_HOST = me.PROCESSLIST_HOST
      AND dump.PROCESSLIST_ID <> me.PROCESSLIST_ID
    JOIN performance_schema.metadata_locks AS held
      ON held.OWNER_THREAD_ID = dump.THREAD_ID AND held.LOCK_STATUS = 'GRANTED' AND held.OBJECT_TYPE = 'TABLE'
    JOIN performance_schema.metadata_locks AS waiting
      ON waiting.OBJECT_TYPE = held.OBJECT_TYPE AND waiting.OBJECT_SCHEMA = held.OBJECT_SCHEMA
      AND waiting.OBJECT_NAME = held.OBJECT_NAME AND waiting.LOCK_STATUS = 'PENDING'
      AND waiting.LOCK_TYPE IN ('EXCLUSIVE', 'SHARED_NO_READ_WRITE')
  WHERE me.PROCESSLIST_ID = CONNECTION_ID()`;

/** Waits that a dump has caused for too long. */
export class LockWaitError extends Error {
  override readonly name = "LockWaitError";

  constructor(tables: readonly string[]) {
    super(
      `the dump was ended because a change of ${tables.join(", ")} waited ${longestWaitMs / 1_000} s for it: ` +
        `another attempt follows; change tables at another time than that of the backup`,
    );
  }
}

/**
 * Watches until `signal` aborts. Where others have waited too long it ends the dump's connections, which takes its locks away at once, and
 * returns a message about it. A failed look is logged and repeated: it does not cost the dump.
 */
export async function watchLocks(source: RemoteArgs, signal: AbortSignal): Promise<LockWaitError | undefined> {
  const watcher = new Watcher(source);
  try {
    while (!signal.aborted) {
      const waits = await watcher.look();
      if (waits.length > 0) {
        await watcher.end(waits);
        return new LockWaitError([...new Set(waits.map(({ table }) => table))]);
      }
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  } finally {
    watcher.close();
  }
}

class Watcher {
  readonly #source: RemoteArgs;
  #connection: Connection | undefined;
  #since: WaitingSince = new Map();
  #said = "";

  constructor(source: RemoteArgs) {
    this.#source = source;
  }

  /** The waits that have lasted too long. */
  async look(): Promise<LockWait[]> {
    try {
      const [rows] = await (await this.#connect()).query({ sql: statement, timeout: patienceMs });
      const [waits, now] = [z.array(LockWait).parse(rows), performance.now()];
      this.#since = remembered(this.#since, waits, now);
      this.#said = "";
      return tooLong(waits, this.#since, now);
    } catch (error) {
      const why = textOf(error);
      if (why !== this.#said) log("cannot tell whether others wait for the dump", { why });
      this.#said = why;
      this.close();
      return [];
    }
  }

  /** Ends the connections of the dump that others wait for. */
  async end(waits: readonly LockWait[]): Promise<void> {
    for (const holder of new Set(waits.map((wait) => wait.holder))) {
      // one that has ended meanwhile needs no end
      await this.#connection?.query({ sql: `KILL ${holder}`, timeout: patienceMs }).catch((error: unknown) => {
        log("the dump's connection cannot be ended", { why: textOf(error) });
      });
    }
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const connection = await connectTo(this.#source);
    // the next look's error shows its end
    connection.on("error", () => {
      this.close();
    });
    this.#connection = connection;
    return connection;
  }
}
