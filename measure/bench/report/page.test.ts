import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./page";
import type { Entry } from "./results";

const entry: Entry = {
  ...{ date: "2026-01-01 12:00", size: "small", commit: "abc1234", databases: 20, cores: 2, processor: "some CPU" },
  ...{ memoryGb: 8, node: "v24", accounting: "samples", problems: ["drift: it did not come"] },
  figures: [
    { name: "create_p50_s", unit: "s", ours: 0.2, stock: 2, floor: 0.05 },
    { name: "update_p50_s", unit: "s", ours: 0.4, stock: null, floor: null },
    { name: "children", unit: "", ours: 17, stock: 17, floor: 17 },
  ],
};

test("the page shows figures, ratios, targets, what was missed, and under what conditions", () => {
  const page = pageOf(entry, "chart.svg");
  for (const text of [
    "**1 of 2 targets reached.**",
    "| 0.200 | 2 | 0.050 | 10× | 0.25× | ≤ 0.3, 4 × quicker than stock | reached |",
    "| 0.400 | – | – | – | – | ≤ 0.2 | not reached |",
    "- drift: it did not come",
    "**17 children**",
    "there were 20 Databases",
    "2 cores (some CPU)",
  ]) {
    assert.ok(page.includes(text), `the page lacks: ${text}`);
  }
});

test("a small run says so, a full run needs no note on its size", () => {
  const note = /These figures are from a small run/;
  assert.match(pageOf(entry, "chart.svg"), note);
  assert.doesNotMatch(pageOf({ ...entry, size: "full", databases: 1000 }, "chart.svg"), note);
});
