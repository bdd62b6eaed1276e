// That all tables are checked, and what that shows.
import assert from "node:assert/strict";
import test from "node:test";
import { DrillEnd } from "../../verify/decide";
import { checkTables } from "./tables";

const row = (type: string, text: string): object => ({ Table: "t", Op: "check", Msg_type: type, Msg_text: text });

/** A server with two tables, of which it answers so. */
function checked(answer: unknown): { readonly end: Promise<unknown>; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const query = (statement: string): Promise<unknown> => {
    if (statement.startsWith("SELECT"))
      return Promise.resolve([
        { database: "app", name: "it`ems" },
        { database: "app", name: "orders" },
      ]);
    asked.push(statement);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const end = checkTables({ sql: { query }, withinMs: 1000, log: () => undefined }).catch((error: unknown) =>
    error instanceof DrillEnd ? [error.finding, error.message] : String(error),
  );
  return { end, asked };
}

test("all tables are checked, whatever their names", async () => {
  const { end, asked } = checked([row("status", "OK")]);
  assert.deepEqual(await end, []);
  assert.deepEqual(asked, ["CHECK TABLE `app`.`it``ems`", "CHECK TABLE `app`.`orders`"]);
});

test("one that is damaged is named, and ends it", async () => {
  const { end, asked } = checked([row("error", "Corrupt")]);
  assert.deepEqual(await end, ["DataDamaged", "table app.it`ems is damaged; the log of the drill says how"]);
  assert.equal(asked.length, 1);
});

test("what the server cannot check is told", async () => {
  const [omitted] = (await checked([row("note", "The storage engine for the table doesn't support check")]).end) as [
    string,
  ];
  assert.match(omitted, /^not checked in full, .* are 2, the first table app\.it`ems/);
});

test("that the connection broke says nothing of a table", async () => {
  assert.deepEqual(await checked(new Error("closed")).end, [
    "Interrupted",
    "the server gave up while table app.it`ems was checked (the connection broke)",
  ]);
  const full = Object.assign(new Error("disk full"), { errno: 1021, sqlState: "HY000" });
  assert.match(String(await checked(full).end), /^NoRoom/);
});
