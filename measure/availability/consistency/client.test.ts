import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../../../test/harness/eventually";
import { StatementRefused, type Session, type TestedEngine } from "../engines/engine";
import { mysql } from "../engines/mysql";
import { postgresql } from "../engines/postgresql";
import { transact } from "./client";
import type { Transaction } from "./history";
import { listsIn, Planner, readOf } from "./lists";

type Reaction = (statement: string) => Promise<unknown[][]>;

const target = { host: "none", port: 1, username: "app", password: "", database: "app" };

/** The first transaction that a client notes on a server that reacts so, and how many connections it left open. */
async function firstOn(engine: TestedEngine, react: Reaction): Promise<Transaction & { open: number; sent: string[] }> {
  const sent: string[] = [];
  let open = 0;
  const session: Session = {
    run(statement) {
      sent.push(statement);
      return react(statement);
    },
    destroy: () => (open -= 1),
  };
  const connect = (): Promise<Session> => Promise.resolve(session).finally(() => (open += 1));
  const abort = new AbortController();
  const transactions: Transaction[] = [];
  // an append, then a read
  const planner = { next: () => [{ kind: "append", key: 7, value: 3 } as const, { kind: "read", key: 7 } as const] };
  const whole = Object.assign(new Planner(), planner);
  const shared = {
    target,
    table: "t",
    client: 1,
    planner: whole,
    transactions,
    stopped: abort.signal,
    statementMs: 20,
  };
  const running = transact({ ...shared, engine: { ...engine, connect } });
  await eventually(() => {
    assert.ok(transactions.length > 0);
  });
  abort.abort();
  await running;
  const [first] = transactions;
  assert.ok(first);
  return { ...first, open, sent };
}

const fine: Reaction = (statement) => Promise.resolve(statement.startsWith("select") ? [["1,2,3"]] : []);
const refusing =
  (what: RegExp): Reaction =>
  (statement) =>
    what.test(statement) ? Promise.reject(new StatementRefused("no")) : fine(statement);
const silent =
  (what: RegExp): Reaction =>
  (statement) =>
    what.test(statement) ? new Promise(() => undefined) : fine(statement);

const append = { kind: "append", key: 7, value: 3 } as const;
const read = { kind: "read", key: 7, values: [1, 2, 3] } as const;

test("what was acknowledged is committed, with what was read", async () => {
  const { ending, operations, open, sent } = await firstOn(postgresql, fine);
  assert.equal(ending, "committed");
  assert.deepEqual(operations, [append, read]);
  assert.equal(open, 0);
  assert.equal(sent[0], "begin isolation level serializable");
});

test("before its commit is sent a transaction takes no effect, but what was sent is noted", async () => {
  const { ending, operations, open } = await firstOn(postgresql, silent(/^insert/));
  assert.equal(ending, "aborted");
  assert.deepEqual(operations, [append]);
  assert.equal(open, 0);
  assert.deepEqual((await firstOn(postgresql, refusing(/^select/))).operations, [append]);
});

test("a commit without an answer may have happened; one that PostgreSQL refused did not, and with MySQL it is unknown", async () => {
  assert.equal((await firstOn(postgresql, silent(/^commit/))).ending, "unknown");
  assert.equal((await firstOn(postgresql, refusing(/^commit/))).ending, "aborted");
  assert.equal((await firstOn(mysql, refusing(/^commit/))).ending, "unknown");
});

test("lists are texts with commas; a missing one is empty, and an invalid one is an error", () => {
  assert.deepEqual(readOf(1, []), { kind: "read", key: 1, values: [] });
  assert.deepEqual([...listsIn([[4, "1,2"]])], [[4, [1, 2]]]);
  assert.throws(() => readOf(1, [["1,,2x"]]));
});

test("no value is planned twice, a list that is full gives way to another, and several are in use", () => {
  const planner = new Planner();
  const steps = Array.from({ length: 400 }, () => planner.next()).flat();
  const values = steps.filter((step) => step.kind === "append").map(({ key, value }) => `${key}/${value}`);
  assert.equal(new Set(values).size, values.length);
  assert.ok(values.every((value) => Number(value.split("/")[1]) <= 40));
  assert.ok(new Set(steps.slice(0, 40).map(({ key }) => key)).size > 1);
});
