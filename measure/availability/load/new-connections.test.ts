import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../../../test/harness/eventually";
import type { Session, TestedEngine } from "../engines/engine";
import { newConnectionsIn, startNewConnections, type NewConnections } from "./new-connections";
import { TimedOut } from "./within";

const target = { host: "192.0.2.1", port: 1, username: "app", password: "", database: "app" };

/** What is counted of connections that are opened this way, where row 7 was acknowledged before each. */
async function counted(connect: TestedEngine["connect"]): Promise<NewConnections> {
  let begun = 0;
  const engine: Pick<TestedEngine, "connect"> = {
    connect(...args) {
      begun += 1;
      return connect(...args);
    },
  };
  const connections = startNewConnections({ engine, target, table: "writes", client: 0, acknowledged: () => 7 });
  await eventually(() => {
    assert.ok(begun >= 2);
  });
  return newConnectionsIn(await connections.stop(), 0);
}

const answering = (last: number | null, ended: () => void = () => undefined): Session => ({
  run: () => Promise.resolve([[last]]),
  destroy: ended,
});

const most = ({ opened, ...rest }: NewConnections): readonly string[] =>
  Object.entries(rest).flatMap(([found, count]) => (count === opened ? [found] : []));

test("one that reads what was acknowledged, or more, is of use, and is ended", async () => {
  let ended = 0;
  const found = await counted(() => Promise.resolve(answering(8, () => (ended += 1))));
  assert.deepEqual(most(found), []);
  assert.equal(found.refused + found.hung + found.stale, 0);
  assert.equal(ended, found.opened);
});

test("one that reads less is stale, also where it reads nothing", async () => {
  assert.deepEqual(most(await counted(() => Promise.resolve(answering(6)))), ["stale"]);
  assert.deepEqual(most(await counted(() => Promise.resolve(answering(null)))), ["stale"]);
});

test("one that gets an error was refused, and one that gets nothing in time hung", async () => {
  assert.deepEqual(most(await counted(() => Promise.reject(new Error("connection refused")))), ["refused"]);
  assert.deepEqual(most(await counted(() => Promise.reject(new TimedOut(1000)))), ["hung"]);
  const mute: Session = { run: () => new Promise(() => undefined), destroy: () => undefined };
  assert.deepEqual(most(await counted(() => Promise.resolve(mute))), ["hung"]);
});

test("those of before the fault do not count", () => {
  const openings = [1, 2, 3].map((sentAt) => ({ sentAt, found: "hung" as const }));
  assert.deepEqual(newConnectionsIn(openings, 2), { opened: 2, refused: 0, hung: 2, stale: 0 });
});
