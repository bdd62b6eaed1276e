import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../figures";
import { chartOf, panelsOf } from "./chart";

const figure = (name: string, ours: number | null, stock: number | null, floor: number | null): Figure => ({
  ...{ name, unit: "s", ours, stock, floor },
});

const widths = (svg: string, tone: string): number[] =>
  [...svg.matchAll(new RegExp(`<rect class="${tone}" x="194" y="[\\d.]+" width="([\\d.]+)"`, "g"))].map(([, width]) =>
    Number(width),
  );

test("bars of a panel are as long as their figures, on one scale", () => {
  const svg = chartOf(panelsOf([figure("create_p50_s", 0.5, 2, null), figure("update_p50_s", 1, 2, 0.25)]));
  const [longest = 0] = widths(svg, "stock");
  assert.ok(longest > 400 && longest < 500, `the longest bar does not fit: ${longest}`);
  assert.deepEqual(
    widths(svg, "ours").map((width) => width / longest),
    [0.25, 0.5],
  );
  assert.ok(Math.abs((widths(svg, "floor")[0] ?? 0) / longest - 0.125) < 0.001);
});

test("what was not measured leaves no bar and no label", () => {
  const svg = chartOf(panelsOf([figure("create_p50_s", 0.5, null, null)]));
  assert.deepEqual([widths(svg, "ours").length, widths(svg, "stock").length], [1, 0]);
  assert.doesNotMatch(svg, /NaN|Infinity|undefined|null|preview|per second/);
});
