// The queries of the Database's author: each in a transaction of its own that reads, by an account that may only read what applications wrote.
//
// It is made in the copy, which is thrown away, and there alone. Before it connects the server takes no change from anyone.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createConnection, escape, escapeId, type Connection } from "mysql2";
import { z } from "zod";
import type { DrillQuery } from "../../../contract/verification-report";
import { textOf } from "../../log";
import type { Answered } from "../../verify/decide";
import { answered, refused } from "../../verify/queries";
import { sqlStateOf } from "../../verify/sql-state";
import { grantable } from "../initialize";
import type { OwnServer } from "../server/connection";
import { isOfTheServer, isQuery, serverEnd } from "./findings";

const patienceMs = 60_000;
const usualName = "database_verify";

/** An account. */
export interface Reader {
  readonly user: string;
  readonly password: string;
}

const Databases = z.array(z.object({ name: z.string() }));
const databases = `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA
  WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`;
const Flag = z.tuple([z.object({ isOn: z.coerce.boolean() })]);

/** Makes the account, and closes the server to changes. */
export async function makeReader(sql: Pick<OwnServer, "query">): Promise<Reader> {
  const rows = (statement: string): Promise<unknown> => sql.query(statement, patienceMs);
  let user = usualName;
  while (z.array(z.unknown()).parse(await rows(`SELECT 1 FROM mysql.user WHERE User = ${escape(user)}`)).length > 0)
    user += "_";
  // whatever is asked of passwords
  const password = `Aa1-${randomBytes(24).toString("base64url")}`;
  const account = `${escape(user)}@localhost`;
  await rows(`CREATE USER ${account} IDENTIFIED BY ${escape(password)}`);
  // then _ and % stand for themselves
  const [{ isOn }] = Flag.parse(await rows("SELECT @@GLOBAL.partial_revokes AS isOn"));
  for (const { name } of Databases.parse(await rows(databases)))
    await rows(`GRANT SELECT, SHOW VIEW, EXECUTE ON ${isOn ? escapeId(name, true) : grantable(name)}.* TO ${account}`);
  await rows("SET GLOBAL super_read_only = ON");
  return { user, password };
}

/** Where they are asked, and as whom. */
export interface AskArgs {
  readonly socket: string;
  readonly reader: Reader;
  readonly database: string;
  /** How long each may take, in milliseconds. */
  readonly withinMs: number;
  readonly log: (message: string) => void;
}

/** Asks all of them, whatever becomes of one. Throws where the server gives up. */
export async function ask(queries: readonly DrillQuery[], args: AskArgs): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const query of queries) {
    // each has a session of its own: one could change what the next one begins with
    const { socket, reader, database } = args;
    const stream = connect(socket);
    const connection = createConnection({ socketPath: socket, stream, ...reader, database, supportBigNumbers: true });
    // what is asked of a connection that broke before gets no answer
    const broken = new Promise<never>((_resolve, reject) => connection.on("error", reject));
    broken.catch(() => undefined);
    const rowOf: RowOf = (statement) => Promise.race([firstRow(connection, statement), broken]);
    try {
      answers.push(await answerTo(query, rowOf, args));
    } finally {
      connection.destroy();
      stream.destroy();
    }
  }
  return answers;
}

type RowOf = (statement: string) => Promise<Row | undefined>;

async function answerTo(
  query: DrillQuery,
  rowOf: RowOf,
  { withinMs, log }: Pick<AskArgs, "withinMs" | "log">,
): Promise<Answered> {
  const { name, sql } = query;
  if (!isQuery(sql)) return { name, answer: "Failed", why: "is no SELECT, VALUES or WITH" };
  try {
    await rowOf(`SET SESSION max_execution_time = ${Math.ceil(withinMs)}`);
    await rowOf("START TRANSACTION READ ONLY");
    return answered(query, await rowOf(sql), log);
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

const Row = z.array(z.string().nullable());
type Row = z.infer<typeof Row>;

/** Its first row, each value as text; undefined where there is none. The others are passed over, but an error among them counts. */
function firstRow(connection: Connection, sql: string): Promise<Row | undefined> {
  return new Promise((resolve, reject) => {
    let first: Row | undefined;
    const asked = connection.query({ sql, rowsAsArray: true, typeCast: (field) => field.string() });
    asked.on("error", reject);
    asked.on("result", (row: unknown) => {
      first ??= Row.safeParse(row).data;
    });
    asked.on("end", () => {
      resolve(first);
    });
  });
}
