import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesIn, linesOf, shownOf, type Entry } from "./results";

const entry = (size: Entry["size"], date: string): Entry => ({
  ...{ date, size, commit: "abc1234", databases: 20, cores: 2, processor: "some", memoryGb: 8, node: "v24" },
  ...{ accounting: "samples", problems: [] },
  figures: [{ name: "create_p50_s", unit: "s", ours: 1, stock: null, floor: 0.1 }],
});

test("a run that was written down is read again as it was, one line each", () => {
  const entries = [entry("small", "a"), entry("full", "b")];
  const text = linesOf(entries);
  assert.equal(text.split("\n").length, 3);
  assert.deepEqual(entriesIn(text), entries);
});

test("a line that is not a run is refused", () => {
  assert.throws(() => entriesIn('{"date":"a"}\n'));
});

test("the page is about the last full run, and without one about the last", () => {
  const runs = [entry("full", "a"), entry("full", "b"), entry("small", "c")];
  assert.equal(shownOf(runs)?.date, "b");
  assert.equal(shownOf(runs.slice(2))?.date, "c");
  assert.equal(shownOf([]), undefined);
});
