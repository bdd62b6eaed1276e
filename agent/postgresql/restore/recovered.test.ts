import assert from "node:assert/strict";
import test from "node:test";
import type { Session } from "../server/connection";
import { ArrivedLate } from "./hole";
import { NotJudged, NotReached, sessionAfter } from "./recovered";
import type { Recovery } from "./replaying";

const args = { host: "/nowhere", user: "postgres", program: "test" };
const refusal = new Error("the server does not start with the copy: it ended with 1");

/** How it ends where the server takes a session, or refuses to, and the rest goes so. */
async function end(isUp: boolean, some: Partial<Pick<Recovery, "problem" | "check">>): Promise<unknown> {
  let isClosed = false;
  const session: Session = {
    version: 170000,
    run: () => Promise.resolve(),
    rows: () => Promise.resolve([]),
    close: () => {
      isClosed = true;
    },
  };
  const recovery: Recovery = {
    ...{ settings: {}, environment: {} },
    problem: () => Promise.resolve(undefined),
    check: () => Promise.resolve(),
    ...some,
  };
  const server = { said: "", session: () => (isUp ? Promise.resolve(session) : Promise.reject(refusal)) };
  const found: unknown = await sessionAfter(server, args, recovery).catch((error: unknown) => error);
  assert.equal(isClosed, isUp && found !== session, "a session that no one gets is closed");
  return found === session ? "reached" : found;
}

const failing = (error: Error) => (): Promise<never> => Promise.reject(error);
const away = failing(new Error("unable to connect to 's3:443'"));

test("a server that refuses is told apart from one of which nothing can be told", async () => {
  assert.equal(await end(true, {}), "reached");
  assert.equal(await end(false, {}), refusal);
  for (const isUp of [true, false]) {
    const found = await end(isUp, { problem: away });
    assert.ok(found instanceof NotJudged);
    assert.match(found.message, /unable to connect/);
  }
  assert.ok((await end(true, { check: away })) instanceof NotJudged);
});

test("WAL that is missing is told, and so is that it was late", async () => {
  for (const isUp of [true, false]) {
    assert.ok((await end(isUp, { problem: () => Promise.resolve("WAL is missing") })) instanceof NotReached);
    const late = new ArrivedLate("WAL has arrived meanwhile");
    assert.equal(await end(isUp, { problem: failing(late) }), late);
  }
});
