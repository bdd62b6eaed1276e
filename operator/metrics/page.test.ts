import assert from "node:assert/strict";
import test from "node:test";
import { operatorMetrics } from "../../contract/metrics";
import { metricsPage } from "./page";

test("every metric is on the page once", () => {
  const page = metricsPage();
  for (const { name, help } of Object.values(operatorMetrics)) {
    assert.equal(page.split(`| \`${name}\` |`).length, 2, name);
    assert.ok(page.includes(help), name);
  }
});
