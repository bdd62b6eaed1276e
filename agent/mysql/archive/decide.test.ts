import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { contains, gtidText, ofSource, parseGtidSet, union, without, type GtidSet } from "../gtid";
import { planOf } from "../restore/plan";
import { baseOf, group, logOf, sessionOf, set } from "../../../test/fakes/mysql/archive";
import { earliestOf, holeBehind, holeText, inOrder } from "./decide";
import { noteOf } from "./note";

const other = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";

test("a difference of sets is what is in one of them alone", () => {
  assert.equal(gtidText(without(set("1-10"), set("3-4:7"))), `${group}:1-2:5-6:8-10`);
  assert.equal(gtidText(without(set("1-10"), set("1-20"))), "");
  assert.equal(gtidText(without(set("1-3:tag:1-2"), set("1-3"))), `${group}:tag:1-2`);
  assert.equal(gtidText(ofSource(parseGtidSet(`${group}:1-3:tag:5,${other}:1`), group)), `${group}:1-3,${group}:tag:5`);
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
  assert.deepEqual([gtidText(hole), holeText(hole)], [`${group}:11-14`, `${group}:11-14`]);
  assert.equal(holeBehind(baseOf("second", "1-16"), sessions), undefined);
  const bases = [baseOf("first", "1-6"), baseOf("second", "1-16", "2026-11-23T02:00:00.000Z")];
  assert.deepEqual(noteOf({ sessions, bases }), { state: "Arriving", recoverableFrom: "2026-11-23T02:00:00Z" });
  const gap = { segment: holeText(hole), at: "2026-11-22T00:00:00Z" };
  assert.deepEqual(noteOf({ sessions, bases: bases.slice(0, 1), gap }), { state: "Arriving", gap });
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

/** Any transactions of the group from 1 to 30. */
const anySet = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 12 })
  .map((numbers): GtidSet => set(numbers.join(":")));

test("whichever logs there are, what can be read is all that anything leads to, in an order in which it can", () => {
  const anyLog = fc.record({ previous: anySet, transactions: anySet });
  fc.assert(
    fc.property(anySet, fc.array(anyLog, { maxLength: 7 }), (executed, logs) => {
      const { order, stranded, reached } = inOrder(executed, logs);
      let sum: GtidSet = executed;
      for (const log of order) {
        assert.ok(contains(sum, log.previous));
        sum = union(sum, log.transactions);
      }
      assert.equal(gtidText(sum), gtidText(reached));
      // nothing that is left can be read, or brings anything
      for (const log of logs.filter((one) => !order.includes(one)))
        assert.equal(contains(reached, log.transactions), !stranded.includes(log));
      for (const log of stranded) assert.ok(!contains(reached, log.previous));
      // with more to begin with there is no less
      assert.ok(contains(inOrder(union(executed, set("1-3")), logs).reached, reached));
      assert.equal(gtidText(inOrder(executed, logs.toReversed()).reached), gtidText(reached));
    }),
  );
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
      const plan = planOf({ label: "shop-1", executed, beyond: { all: set("") }, logs: [...order, ...stranded] });
      const sessions = logs.map((one, index) => ({ ...sessionOf(1, ""), number: index, logs: [one] }));
      const hole = holeBehind({ transactions: executed }, sessions);
      assert.equal("problem" in plan, hole !== undefined);
      if (!("problem" in plan)) for (const { transactions } of logs) assert.ok(contains(plan.wanted, transactions));
    }),
  );
});

test("what is said is not before the backup, and a failure counts once it lasts", () => {
  const [bases, sessions] = [[baseOf("first", "1-6")], [sessionOf(1, "1-5")]];
  const why = "the primary cannot be reached";
  assert.equal(noteOf({ sessions, bases }).recoverableFrom, "2026-11-21T02:00:01Z");
  assert.equal(noteOf({ sessions, bases, trouble: { why, ms: 29_999 } }).state, "Arriving");
  assert.deepEqual(noteOf({ sessions: [], bases: [], trouble: { why, ms: 30_000 } }), {
    state: "Waiting",
    message: why,
  });
});

test("where no member was ever followed nothing is said of moments", () => {
  assert.equal(noteOf({ sessions: [], bases: [baseOf("first", "1-6")] }).recoverableFrom, undefined);
});

test("a hole in many parts has a name that fits", () => {
  const text = holeText(parseGtidSet(`${group}:100000000000000-200000000000000:300000000000001-400000000000001:tag:1`));
  assert.ok(text.length <= 64 && text.endsWith(", …"), text);
});
