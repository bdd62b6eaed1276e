import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { planOf } from "../restore/plan";
import { contains, gtidText, noTransactions, ofSource, parseGtidSet, without } from "../gtid";
import {
  earliestOf,
  firstToCopy,
  holeBehind,
  holeText,
  inOrder,
  type Base,
  type KeptLog,
  type Session,
} from "./decide";
import { noteOf } from "./note";
import { givingWay, missingBytes, repeated, unneeded } from "./tidy";

const group = "aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa";
const other = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";
const set = (text: string): ReturnType<typeof parseGtidSet> => parseGtidSet(text === "" ? "" : `${group}:${text}`);

const logOf = (name: string, previous: string, transactions: string): KeptLog => ({
  ...{ name, bytes: 100, latest: 1 },
  ...{ previous: set(previous), transactions: set(transactions) },
});
const sessionOf = (number: number, previous: string, ...logs: KeptLog[]): Session => ({
  ...{ number, member: "shop-0", startedAt: `2026-11-2${number}T00:00:00Z`, previous: set(previous), logs },
});
const baseOf = (name: string, transactions: string, copiedAt = "2026-11-21T02:00:00.5Z"): Base => ({
  ...{ name, bytes: 1000, copiedAt, transactions: set(transactions) },
});

test("a difference of sets is what is in one of them alone", () => {
  assert.equal(gtidText(without(set("1-10"), set("3-4:7"))), `${group}:1-2:5-6:8-10`);
  assert.equal(gtidText(without(set("1-10"), set("1-20"))), "");
  assert.equal(gtidText(without(set("1-3:tag:1-2"), set("1-3"))), `${group}:tag:1-2`);
  assert.equal(gtidText(ofSource(parseGtidSet(`${group}:1-3:tag:5,${other}:1`), group)), `${group}:1-3,${group}:tag:5`);
});

test("a member is copied from where nothing is missing, and from its first file where each lacks something", () => {
  const logs = ["", "1-10", "1-20"].map((previous, index) => ({ name: `b.${index}`, previous: set(previous) }));
  assert.equal(firstToCopy(logs, set("1-15"))?.name, "b.1");
  assert.equal(firstToCopy(logs, set("1-20"))?.name, "b.2");
  assert.equal(firstToCopy(logs, noTransactions)?.name, "b.0");
  assert.equal(firstToCopy(logs.slice(1), set("1-5"))?.name, "b.1");
});

test("logs of one member after another lead from a backup on, whatever they have twice", () => {
  const sessions = [
    sessionOf(1, "1-5", logOf("a.3", "1-5", "6-10"), logOf("a.4", "1-10", "11-12")),
    sessionOf(2, "1-8", logOf("b.7", "1-8", "9-20")),
  ];
  assert.equal(holeBehind(baseOf("first", "1-6"), sessions), undefined);
  assert.equal(earliestOf([baseOf("early", "1-2"), baseOf("first", "1-6")], sessions)?.name, "first");
});

test("what neither a log nor the backup has is a hole, until a backup has it", () => {
  const sessions = [
    sessionOf(1, "1-5", logOf("a.3", "1-5", "6-10")),
    sessionOf(2, "1-14", logOf("b.7", "1-14", "15-20")),
  ];
  const hole = holeBehind(baseOf("first", "1-6"), sessions);
  assert.ok(hole);
  assert.equal(gtidText(hole.missing), `${group}:11-14`);
  assert.equal(hole.at, "2026-11-22T00:00:00Z");
  assert.equal(holeText(hole), `${group}:11-14`);
  const closed = [baseOf("first", "1-6"), baseOf("second", "1-16", "2026-11-23T02:00:00.000Z")];
  assert.equal(holeBehind(baseOf("second", "1-16"), sessions), undefined);
  assert.deepEqual(noteOf({ sessions, bases: closed }), { state: "Arriving", recoverableFrom: "2026-11-23T02:00:00Z" });
  assert.deepEqual(noteOf({ sessions, bases: closed.slice(0, 1) }), {
    state: "Arriving",
    gap: { segment: `${group}:11-14`, at: "2026-11-22T00:00:00Z" },
  });
});

test("a member that was copied from another has logs that begin later: what comes after them may lead there", () => {
  const sessions = [
    sessionOf(1, "1-5", logOf("a.3", "1-5", "6-10")),
    sessionOf(2, "1-20", logOf("b.1", "1-20", "21-30")),
    sessionOf(3, "1-8", logOf("c.4", "1-8", "9-25"), logOf("c.5", "1-25", "26-40")),
  ];
  const { order, stranded, reached } = inOrder(
    set("1-6"),
    sessions.flatMap(({ logs }) => logs),
  );
  assert.deepEqual(
    order.map(({ name }) => name),
    ["a.3", "c.4", "c.5"],
    "what another one has as well is not read twice",
  );
  assert.deepEqual([stranded, gtidText(reached)], [[], `${group}:1-40`]);
  assert.equal(holeBehind(baseOf("first", "1-6"), sessions), undefined);
});

test("where the logs lead to their end, a restore gets there, and elsewhere it names the gap", () => {
  const number = fc.integer({ min: 0, max: 30 });
  const log = fc.tuple(number, fc.integer({ min: 1, max: 10 }));
  const range = (from: number, to: number): string => (to < from ? "" : from === to ? String(from) : `${from}-${to}`);
  fc.assert(
    fc.property(number, fc.array(log, { maxLength: 8 }), (backedUp, described) => {
      const logs = described.map(([before, count], index) => ({
        ...logOf(`b.${index}`, range(1, before), range(before + 1, before + count)),
        path: `b.${index}`,
      }));
      const executed = set(range(1, backedUp));
      const { order, stranded } = inOrder(executed, logs);
      const plan = planOf({
        ...{ label: "shop-1", executed, beyond: { all: set("") } },
        logs: [...order, ...stranded],
      });
      const sessions = logs.map((one, index) => ({ ...sessionOf(1, ""), number: index, logs: [one] }));
      const hole = holeBehind({ transactions: executed }, sessions);
      assert.equal("problem" in plan, hole !== undefined);
      if (!("problem" in plan)) for (const { transactions } of logs) assert.ok(contains(plan.wanted, transactions));
    }),
  );
});

test("what is said is not before the backup, and a failure counts once it lasts", () => {
  const bases = [baseOf("first", "1-6")];
  const why = "the primary cannot be reached";
  assert.equal(noteOf({ sessions: [], bases }).recoverableFrom, "2026-11-21T02:00:01Z");
  assert.equal(noteOf({ sessions: [], bases, trouble: { why, ms: 29_999 } }).state, "Arriving");
  assert.deepEqual(noteOf({ sessions: [], bases: [], trouble: { why, ms: 30_000 } }), {
    state: "Waiting",
    message: why,
  });
});

test("a hole in many parts has a name that fits", () => {
  const missing = parseGtidSet(`${group}:100000000000000-200000000000000:300000000000001-400000000000001:tag:1`);
  const text = holeText({ missing, at: "" });
  assert.ok(text.length <= 64 && text.endsWith(", …"), text);
});

test("logs go that no backup needs: a backup that a person keeps keeps none", () => {
  const session = sessionOf(1, "", logOf("a.1", "", "1-5"), logOf("a.2", "1-5", "6-10"), logOf("a.3", "1-10", "11-15"));
  const bases = [baseOf("kept", "1-2"), baseOf("first", "1-10"), baseOf("second", "1-15")];
  const names = (kept: ReadonlySet<string> | undefined): string[] =>
    unneeded(session, { bases, kept }).map(({ name }) => name);
  assert.deepEqual(names(new Set(["kept"])), ["a.1", "a.2"]);
  assert.deepEqual(names(new Set()), []);
  assert.deepEqual(names(undefined), [], "what is kept is not known: all stay");
  assert.deepEqual(unneeded(session, { bases: [], kept: new Set() }), [], "without a backup all stay");
});

test("where the next backup would find no room, logs of older ones give way, the oldest first, and never those behind the newest", () => {
  const sessions = [
    sessionOf(1, "", logOf("a.1", "", "1-5"), logOf("a.2", "1-5", "6-10"), logOf("a.3", "1-10", "11-15")),
  ];
  const volume = { bases: [baseOf("first", "1-3"), baseOf("second", "1-10")], kept: new Set<string>() };
  const names = (missing: number): string[] => givingWay(sessions, volume, missing).map(({ name }) => name);
  assert.deepEqual(names(0), []);
  assert.deepEqual(names(50), ["a.1"]);
  assert.deepEqual(names(5000), ["a.1", "a.2"]);
  const mebi = 1024 ** 2;
  const member = { bytes: 100 * mebi, redo: 0 };
  const room = { ...volume, member };
  assert.ok(missingBytes({ ...room, free: 200 * mebi }) < 0);
  assert.ok(missingBytes({ ...room, free: 100 * mebi }) > 0);
  const old = { ...baseOf("first", "1-3"), bytes: 100 * mebi };
  const older = { ...room, bases: [old, baseOf("second", "1-10")], free: 50 * mebi };
  assert.ok(missingBytes(older) < 0, "the older backup gives way to the next");
  assert.ok(missingBytes({ ...older, kept: new Set(["first"]) }) > 0, "not where it is kept");
  assert.ok(missingBytes({ ...older, free: 20 * mebi }) > 0, "something stays free in any case");
});

test("what the next session has from its beginning on is not kept twice", () => {
  const sessions = [
    sessionOf(1, "", logOf("a.1", "", "1-5"), logOf("a.2", "1-5", "6-8")),
    sessionOf(2, "1-5", logOf("a.2", "1-5", "6-10")),
    sessionOf(3, "1-7", logOf("b.1", "1-7", "8-9")),
  ];
  assert.deepEqual(repeated(sessions), [[1, "a.2"]]);
  assert.ok(contains(set("1-10"), set("6-8")));
});
