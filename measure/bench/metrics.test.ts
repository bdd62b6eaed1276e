import assert from "node:assert/strict";
import { test } from "node:test";
import { Figures, type Figure } from "./figures";
import { metricOf, metrics, ratioTo, verdictOn } from "./metrics";

const row = (name: string, ours: number | null, stock: number | null = null): Figure => ({
  ...{ name, unit: "", ours, stock, floor: null },
});

test("a target is reached at its very limit", () => {
  assert.equal(verdictOn(row("update_p50_s", 0.2)), "reached");
  assert.equal(verdictOn(row("update_p50_s", 0.201)), "not reached");
  assert.equal(verdictOn(row("idle_cpu_percent", 2)), "not reached");
  assert.equal(verdictOn(row("resync_1000_writes", 0)), "reached");
});

test("a target of two parts needs both", () => {
  assert.equal(verdictOn(row("create_p50_s", 0.2, 2)), "reached");
  assert.equal(verdictOn(row("create_p50_s", 0.2, 0.7)), "not reached");
  assert.equal(verdictOn(row("create_p50_s", 0.4, 2)), "not reached");
});

test("without the baseline no comparison is shown, and without a target no verdict", () => {
  assert.equal(verdictOn(row("create_per_s", 8)), "not told");
  assert.equal(verdictOn(row("create_p99_s", 8)), "");
});

test("a ratio above one always means that ours is better", () => {
  assert.equal(ratioTo(row("create_p50_s", 0.5), 2), 4);
  assert.equal(ratioTo(row("create_per_s", 8), 2), 4);
  assert.equal(ratioTo(row("create_per_s", null), 2), undefined);
  assert.equal(ratioTo(row("resync_1000_writes", 0), 3), undefined);
});

test("a row keeps what was set before, and shows four digits", () => {
  const figures = new Figures((name) => metricOf(name).unit);
  figures.set("create_p50_s", { ours: 0.123456 });
  figures.set("create_p50_s", { stock: 1 });
  assert.deepEqual(figures.all, [{ name: "create_p50_s", unit: "s", ours: 0.1235, stock: 1, floor: null }]);
});

test("no name is used twice, and an unknown one is refused", () => {
  assert.equal(new Set(metrics.map(({ name }) => name)).size, metrics.length);
  assert.throws(() => metricOf("speed"), /no metric/);
});
