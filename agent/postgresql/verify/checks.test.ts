// What a drill makes of the ends of the programs that read all data.
import assert from "node:assert/strict";
import test from "node:test";
import type { Session } from "../server/connection";
import { readAll, type Ended } from "./checks";
import { DrillEnd } from "./decide";

const fine: Ended = { code: 0, said: "" };

/** Reads with programs that end so, and tells what was run. */
async function read(
  ends: Readonly<Record<string, Ended>>,
  { hasAmcheck = true, isRunning = true } = {},
): Promise<{
  readonly ran: readonly string[];
  readonly omitted: unknown;
}> {
  const ran: string[] = [];
  const session: Session = {
    version: 170_012,
    run: () => Promise.resolve(),
    rows: (statement) => Promise.resolve(statement.includes("amcheck") ? (hasAmcheck ? [[]] : []) : [["app"], ["o'x"]]),
    close: () => undefined,
  };
  const omitted = await readAll({
    ...{ session, host: "/run", user: "postgres", isRunning: () => isRunning, log: () => undefined },
    run: (command, args) => {
      ran.push([command, ...args.filter((arg) => /^--heap|^dbname=/.test(arg))].join(" "));
      return Promise.resolve(ends[command] ?? fine);
    },
  }).catch((error: unknown) => (error instanceof DrillEnd ? error.finding : String(error)));
  return { ran, omitted };
}

test("indexes and tables of all databases are checked, and each row of each database is read", async () => {
  assert.deepEqual(await read({}), {
    ran: ["pg_amcheck --heapallindexed", "pg_dump dbname='app'", String.raw`pg_dump dbname='o\'x'`],
    omitted: [],
  });
});

test("without amcheck that is said, and the rows are read all the same", async () => {
  const { ran, omitted } = await read({}, { hasAmcheck: false });
  assert.equal(ran.length, 2);
  assert.match(String(omitted), /indexes were not checked/);
});

for (const [ends, isRunning, finding] of [
  [{ pg_amcheck: { code: 2, said: "damaged" } }, true, "DataDamaged"],
  [{ pg_amcheck: { code: 1, said: "no connection" } }, true, "Interrupted"],
  [{ pg_amcheck: { code: 2, said: "the server is gone" } }, false, "Interrupted"],
  [{ pg_dump: { code: 1, said: "invalid page" } }, true, "DataDamaged"],
  [{ pg_dump: { code: 1, said: "the server is gone" } }, false, "Interrupted"],
  [{ pg_dump: { code: null, said: "" } }, true, "Interrupted"],
] as const) {
  test(`${JSON.stringify(ends)}, and a server that ${isRunning ? "runs" : "ended"}: ${finding}`, async () => {
    assert.equal((await read(ends, { isRunning })).omitted, finding);
  });
}
