// The queries of the Database's author: each in a transaction of its own that reads, and as a cursor, so that it can be nothing but a query.
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import { queryLimits, type DrillQuery } from "../../../contract/verification-report";
import { textOf } from "../../log";
import type { Log } from "../log";
import { answerOf, isOfTheServer, serverEnd, sqlStateOf, type Answered } from "./decide";

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
  const answered: Answered[] = [];
  for (const query of queries) {
    // each has a session of its own: one could change what the next one begins with
    const client = await connected(args);
    try {
      answered.push(await answerTo(query, client, args.log));
    } finally {
      client.end().catch(() => undefined);
    }
  }
  return answered;
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
  const { name, sql, expect } = query;
  try {
    await client.query("BEGIN READ ONLY");
    await rowsOf(client, `DECLARE answer NO SCROLL CURSOR FOR ${sql}`);
    const row = Row.parse((await rowsOf(client, "FETCH 1 FROM answer"))[0]);
    // the others are not sent, but an error among them counts
    await rowsOf(client, "MOVE FORWARD ALL FROM answer");
    await client.query("ROLLBACK");
    const answered = answerOf(query, row);
    const found = row === undefined ? "no row" : JSON.stringify(row[0]).slice(0, longestShown);
    if (answered.answer !== "AsExpected") log(`query ${name}: ${found}, where ${JSON.stringify(expect)} is expected`);
    return answered;
  } catch (error) {
    log(`query ${name}: ${textOf(error)}`);
    return failed(name, error);
  }
}

const longestShown = 200;

/** What the error of a query says. Throws a DrillEnd where that is nothing of the backup. */
export function failed(name: string, error: unknown): Answered {
  if (isOfTheServer(error)) throw serverEnd(error, `query ${name} was asked`);
  // its text could show what is in the data
  const why = `failed with SQLSTATE ${sqlStateOf(error) ?? ""}; the log of the drill has the error`;
  return { name, answer: "Failed", why };
}

const Queries = z
  .array(
    z.object({
      name: z.string().max(queryLimits.name),
      sql: z.string().max(queryLimits.sql),
      expect: z.string().max(queryLimits.expect).optional(),
    }),
  )
  .max(queryLimits.most) satisfies z.ZodType<readonly DrillQuery[]>;

/** The queries in the text of their file. Throws where it is something else. */
export const queriesIn = (text: string): readonly DrillQuery[] => Queries.parse(JSON.parse(text));
