import assert from "node:assert/strict";
import test from "node:test";
import { StatementRefused, type Session, type TestedEngine } from "../engines/engine";
import { postgresql } from "../engines/postgresql";
import { eventually } from "../../../test/harness/eventually";
import type { Attempt } from "./account";
import { write } from "./client";

type Reaction = () => Promise<[]>;

const fine: Reaction = () => Promise.resolve([]);
const refuse: Reaction = () => Promise.reject(new StatementRefused("read-only transaction"));
const breakOff: Reaction = () => Promise.reject(new Error("connection reset"));
const hang: Reaction = () => new Promise<[]>(() => undefined);

/** A server that reacts to its statements one after the other, and then as to the last one; it turns away the first connections. */
function scripted(
  reactions: readonly Reaction[],
  turnedAway = 0,
): { engine: TestedEngine; statements: string[]; connections: number[] } {
  const statements: string[] = [];
  const connections: number[] = [];
  let attempts = 0;
  const session = (number: number): Session => ({
    run(statement) {
      statements.push(statement);
      return (reactions[statements.length - 1] ?? fine)();
    },
    destroy: () => connections.splice(connections.indexOf(number), 1),
  });
  const connect = (): Promise<Session> => {
    attempts += 1;
    if (attempts <= turnedAway) return Promise.reject(new Error("connection refused"));
    connections.push(attempts);
    return Promise.resolve(session(attempts));
  };
  return { engine: { ...postgresql, connect }, statements, connections };
}

const target = { host: "none", port: 1, username: "app", password: "", database: "app" };

/** Lets a client write until it has made as many attempts. */
async function writing({ engine }: { engine: TestedEngine }, count: number): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  const abort = new AbortController();
  const running = write({ engine, target, table: "t", client: 3, attempts, stopped: abort.signal, statementMs: 20 });
  await eventually(() => {
    assert.ok(attempts.length >= count);
  });
  abort.abort();
  await running;
  return attempts.slice(0, count);
}

test("a client numbers its rows, never uses a number twice, and sends the next when the last is answered", async () => {
  const server = scripted([fine, refuse, breakOff]);
  const attempts = await writing(server, 5);
  assert.deepEqual(
    server.statements.slice(0, 5),
    [1, 2, 3, 4, 5].map((number) => `insert into t values (3, ${number})`),
  );
  assert.deepEqual(
    attempts.map(({ number, outcome }) => [number, outcome]),
    [
      [1, "acknowledged"],
      [2, "refused"],
      [3, "unknown"],
      [4, "acknowledged"],
      [5, "acknowledged"],
    ],
  );
});

test("a statement without an answer is unknown once its time is over, and its connection is given up", async () => {
  const server = scripted([hang]);
  const [first] = await writing(server, 2);
  assert.equal(first?.outcome, "unknown");
  assert.ok(first.endedAt - first.sentAt >= 19);
  assert.deepEqual(server.connections, []);
});

test("what could not be sent for lack of a connection is not an attempt", async () => {
  const server = scripted([], 3);
  const attempts = await writing(server, 1);
  assert.deepEqual(
    attempts.map(({ number }) => number),
    [1],
  );
});
