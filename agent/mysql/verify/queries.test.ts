// Queries of a drill over the protocol of MySQL, to a server that answers as it is told.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { createConnection, type Connection } from "mysql2";
import { DrillEnd, type Answered } from "../../verify/decide";
import { ask, failed, makeReader } from "./queries";

let directory: string;
let listening: Server;
let connections: Connection[];
let asked: string[];
/** Rows of the query. */
let answer: readonly (readonly string[])[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "queries-"));
  [connections, asked, answer] = [[], [], [["3"]]];
  listening = createServer((stream) => {
    const connection = createConnection({ stream, isServer: true });
    connections.push(connection);
    connection.on("error", () => undefined);
    // the library takes SET for the preparation of a statement, and does not count packets from the beginning for each
    const replying = (reply: () => void): void => {
      Object.assign(connection, { sequenceId: 1 });
      reply();
      Object.assign(connection, { sequenceId: 0 });
    };
    connection.on("stmt_prepare", () => {
      replying(() => {
        connection.writeOk();
      });
    });
    connection.on("query", (statement: string) => {
      asked.push(statement);
      replying(() => {
        if (!/^\s*SELECT/.test(statement)) connection.writeOk();
        else
          connection.writeTextResult(
            answer.map(([n]) => ({ n })),
            [column],
          );
      });
    });
    connection.serverHandshake({
      ...{ protocolVersion: 10, serverVersion: "9.7.4", connectionId: 1, statusFlags: 2, characterSet: 8 },
      capabilityFlags: 0xffffff ^ 0x800,
    });
  });
  listening.listen(join(directory, "mysqld.sock"));
  await once(listening, "listening");
});
afterEach(async () => {
  for (const connection of connections) connection.destroy();
  listening.close();
  await rm(directory, { recursive: true });
});

const column = {
  ...{ catalog: "def", schema: "app", table: "t", orgTable: "t", name: "n", orgName: "n" },
  ...{ characterSet: 33, columnLength: 255, columnType: 253, flags: 0, decimals: 0 },
};

const log: string[] = [];

async function answered(sql: string, expect?: string): Promise<Answered | undefined> {
  const reader = { user: "database_verify", password: "x" };
  const args = { socket: join(directory, "mysqld.sock"), reader, database: "app", withinMs: 5000 };
  const [first] = await ask([{ name: "orders", sql, expect }], { ...args, log: (line) => log.push(line) });
  return first;
}

test("the first column of the first row is compared as text, in a transaction that only reads", async () => {
  answer = [["3"], ["4"]];
  assert.deepEqual(await answered("SELECT n FROM t", "3"), { name: "orders", answer: "AsExpected" });
  assert.deepEqual(asked, ["START TRANSACTION READ ONLY", "SELECT n FROM t"]);
  assert.equal((await answered("SELECT n FROM t", "4"))?.answer, "Unexpected");
  answer = [];
  assert.equal((await answered("SELECT n FROM t"))?.why, "returned no row");
});

for (const [errno, sqlState, said] of [
  [1146, "42S02", "Failed"],
  [1021, "HY000", "NoRoom"],
  [3024, "HY000", "Interrupted"],
  [1053, "08S01", "Interrupted"],
  [undefined, undefined, "Interrupted"],
] as const) {
  test(`a query that ends with ${errno ?? "no answer"}: ${said}`, () => {
    const error = Object.assign(new Error("of 4111"), errno !== undefined && { errno, sqlState });
    const answer = ((): string => {
      try {
        const { why = "", answer: end } = failed("orders", error);
        assert.equal(why, "failed with SQLSTATE 42S02; the log of the drill has the error");
        return end;
      } catch (end) {
        return end instanceof DrillEnd ? end.finding : String(end);
      }
    })();
    assert.equal(answer, said);
  });
}

test("what is no query is not asked", async () => {
  assert.match((await answered("CALL remove_all()"))?.why ?? "", /^is no SELECT/);
  assert.deepEqual(asked, []);
});

test("a server that is gone says nothing of the backup", async () => {
  listening.close();
  for (const connection of connections) connection.destroy();
  await rm(join(directory, "mysqld.sock"), { force: true });
  await assert.rejects(
    answered("SELECT n FROM t"),
    (error) => error instanceof DrillEnd && error.finding === "Interrupted",
  );
});

test("the reader may read what applications wrote, whatever the names, and then no one may change anything", async () => {
  const statements: string[] = [];
  const query = (statement: string): Promise<unknown> => {
    statements.push(statement);
    if (statement.startsWith("SELECT 1")) return Promise.resolve(statements.length === 1 ? [{}] : []);
    if (statement.includes("SCHEMATA")) return Promise.resolve([{ name: "app" }, { name: "old_app" }]);
    return Promise.resolve([{ isOn: 0 }]);
  };
  const { user } = await makeReader({ query });
  assert.equal(user, "database_verify_");
  const given = statements.filter((statement) => /^(GRANT|SET)/.test(statement));
  assert.deepEqual(given, [
    "GRANT SELECT, SHOW VIEW, EXECUTE ON `app`.* TO 'database_verify_'@localhost",
    String.raw`GRANT SELECT, SHOW VIEW, EXECUTE ON ${"`"}old\_app${"`"}.* TO 'database_verify_'@localhost`,
    "SET GLOBAL super_read_only = ON",
  ]);
});
