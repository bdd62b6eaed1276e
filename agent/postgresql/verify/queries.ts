// The queries of the Database's author: each in a transaction of its own that reads, and as a cursor, so that it can be nothing but a query.
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { DrillQuery } from "../../../contract/verification-report";
import { textOf } from "../../log";
import type { Answered } from "../../verify/decide";
import { answered, refused } from "../../verify/queries";
import { sqlStateOf } from "../../verify/sql-state";
import type { Log } from "../log";
import { isOfTheServer, serverEnd } from "./decide";

/** Where they are asked, and as whom. */
export interface AskArgs {
  /** Directory of the server's socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
  /** How long each may take, in milliseconds. */
  readonly withinMs: number;
  readonly log: Log;
}

/** The reader gets in once the server has read who may. */
const patienceMs = 10_000;
const pauseMs = 100;

/** Asks all of them, whatever becomes of one. Throws where none can be asked, or the server gives up. */
export async function ask(queries: readonly DrillQuery[], args: AskArgs): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const query of queries) {
    // each has a session of its own: one could change what the next one begins with
    const client = await connected(args);
    try {
      answers.push(await answerTo(query, client, args.log));
    } finally {
      client.end().catch(() => undefined);
    }
  }
  return answers;
}

async function connected({ host, user, database, withinMs }: AskArgs): Promise<Client> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const options = `-c statement_timeout=${Math.ceil(withinMs)}`;
    const client = new Client({ host, user, database, options, ssl: false, stream: () => new Socket() });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(pauseMs);
    }
  }
}

/** As the server writes it, whatever its type. */
const asText = { getTypeParser: () => (value: string) => value };
const Row = z.array(z.string().nullable()).optional();

/** By the extended protocol, which takes one statement and no more. */
async function rowsOf(client: Client, text: string): Promise<unknown[][]> {
  const config = { text, rowMode: "array" as const, queryMode: "extended", types: asText };
  return (await client.query<unknown[]>(config)).rows;
}

async function answerTo(query: DrillQuery, client: Client, log: Log): Promise<Answered> {
  const { name, sql } = query;
  try {
    await client.query("BEGIN READ ONLY");
    await rowsOf(client, `DECLARE answer NO SCROLL CURSOR FOR ${sql}`);
    const row = Row.parse((await rowsOf(client, "FETCH 1 FROM answer"))[0]);
    // the others are not sent, but an error among them counts
    await rowsOf(client, "MOVE FORWARD ALL FROM answer");
    await client.query("ROLLBACK");
    return answered(query, row, log);
  } catch (error) {
    log(`query ${name}: ${textOf(error)}`);
    return failed(name, error);
  }
}

/** What the error of a query says. Throws a DrillEnd where that is nothing of the backup. */
export function failed(name: string, error: unknown): Answered {
  if (isOfTheServer(error)) throw serverEnd(error, `query ${name} was asked`);
  return refused(name, sqlStateOf(error));
}
