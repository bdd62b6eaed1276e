import assert from "node:assert/strict";
import test from "node:test";
import { gtidText, parseGtidSet } from "../gtid";
import { microsecondsOf, momentText } from "./moment";
import { planOf, type Known, type Plan, type ReadableLog } from "./plan";

const group = "aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa";
const set = (text: string): ReturnType<typeof parseGtidSet> => parseGtidSet(text === "" ? "" : `${group}:${text}`);
const logOf = (path: string, previous: string, transactions: string, latest: number): ReadableLog => ({
  ...{ path, server: "9.7.4", previous: set(previous), transactions: set(transactions), latest },
});

const logs = [logOf("a.1", "", "1-5", 50), logOf("a.2", "1-5", "6-10", 100), logOf("b.1", "1-8", "9-15", 150)];
const known: Known = { label: "shop-1", executed: set("1-6"), logs, beyond: { all: set("") } };

const pathsOf = (needed: readonly ReadableLog[]): string[] => needed.map(({ path }) => path);

function planned(some: Partial<Known>): Plan {
  const plan = planOf({ ...known, ...some });
  assert.ok(!("problem" in plan), JSON.stringify(plan));
  return plan;
}

function problemOf(some: Partial<Known>): string {
  const plan = planOf({ ...known, ...some });
  assert.ok("problem" in plan, JSON.stringify(plan));
  return plan.problem;
}

test("all that is there: files that the backup lacks, across two members", () => {
  const { logs: needed, wanted, stopBefore } = planned({});
  assert.deepEqual(pathsOf(needed), ["a.2", "b.1"]);
  assert.equal(gtidText(wanted), `${group}:1-15`);
  assert.equal(stopBefore, undefined);
});

test("up to a moment: the replay ends before the first transaction that is later", () => {
  const first = { gtid: `${group}:12`, path: "b.1", before: set("9-11") };
  const { logs: needed, wanted, stopBefore } = planned({ moment: 120, beyond: { first, all: set("12-15") } });
  assert.deepEqual([pathsOf(needed), stopBefore], [["a.2", "b.1"], `${group}:12`]);
  assert.equal(gtidText(wanted), `${group}:1-11`);
});

test("a quiet moment is one of which it is known that nothing was committed until then", () => {
  const executed = set("1-15");
  assert.equal(planned({ moment: 180, arrived: { at: 200, executed } }).stopBefore, undefined);
  assert.match(
    problemOf({ moment: 180, arrived: { at: 170, executed } }),
    /is after what has arrived .* up to 1970-01-01T00:00:00\.000170Z/,
  );
  assert.match(problemOf({ moment: 180 }), /is after what has arrived/);
});

test("a backup that has later changes is refused", () => {
  const first = { gtid: `${group}:6`, path: "a.2", before: set("") };
  assert.match(
    problemOf({ moment: 55, beyond: { first, all: set("6-15") } }),
    /shop-1 has changes that are later than/,
  );
});

test("a gap is named where it matters, and only there", () => {
  const gap = [...logs, logOf("c.1", "1-20", "21-30", 300)];
  assert.match(
    problemOf({ logs: gap }),
    new RegExp(`have a gap.*${group}:16-20.*up to 1970-01-01T00:00:00.000150Z.*spec.restore.backup`),
  );
  const behind = { gtid: `${group}:25`, path: "c.1", before: set("21-24") };
  assert.match(problemOf({ logs: gap, moment: 250, beyond: { first: behind, all: set("25-30") } }), /have a gap/);
  const before = { gtid: `${group}:12`, path: "b.1", before: set("9-11") };
  assert.equal(
    planned({ logs: gap, moment: 120, beyond: { first: before, all: set("12-15:21-30") } }).stopBefore,
    `${group}:12`,
  );
  const edge = { gtid: `${group}:21`, path: "c.1", before: set("") };
  const upTo = planned({ logs: gap, moment: 150, beyond: { first: edge, all: set("21-30") } });
  assert.deepEqual(pathsOf(upTo.logs), ["a.2", "b.1"]);
  const later = planned({ logs: gap, executed: set("1-22") });
  assert.deepEqual(pathsOf(later.logs), ["c.1"], "a later backup has what is missing");
});

test("logs that had arrived and are not found are a gap, and no moment that is known to be complete", () => {
  const arrived = { at: 200, executed: set("1-18") };
  for (const moment of [undefined, 180])
    assert.match(problemOf({ moment, arrived }), new RegExp(`have a gap.*${group}:16-18`));
  assert.equal(planned({ moment: 150, arrived }).logs.length, 2, "all up to the moment is there");
  const first = { gtid: `${group}:12`, path: "b.1", before: set("9-11") };
  assert.equal(planned({ moment: 120, arrived, beyond: { first, all: set("12-15") } }).stopBefore, `${group}:12`);
});

test("moments are read to the microsecond, with any offset", () => {
  assert.equal(microsecondsOf("2026-11-25T08:34:00Z"), Date.parse("2026-11-25T08:34:00Z") * 1000);
  assert.equal(microsecondsOf("2026-11-25T09:34:00.000001+01:00"), Date.parse("2026-11-25T08:34:00Z") * 1000 + 1);
  assert.equal(momentText(microsecondsOf("2026-11-25T08:34:00.5Z")), "2026-11-25T08:34:00.500000Z");
  assert.throws(() => microsecondsOf("yesterday"), /is no moment/);
});
