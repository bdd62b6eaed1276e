import assert from "node:assert/strict";
import test from "node:test";
import { better, maxBehind, type Position } from "./source";

const at = (host: string, behind = 0): Position => ({
  ...{ host, behind, group: "g", server: "9.7.4", transactions: "", databases: 1 },
});

test("a replica that keeps up is preferred", () => {
  assert.equal(better(at("replica", maxBehind), at("primary"))?.host, "replica");
});

test("one that lags behind, or does not answer, is spared, and the primary is used", () => {
  assert.equal(better(at("replica", maxBehind + 1), at("primary"))?.host, "primary");
  assert.equal(better({ unfit: "refused" }, at("primary"))?.host, "primary");
});

test("a lagging replica is no reason to do without a primary", () => {
  assert.equal(better(at("replica", maxBehind + 1), { unfit: "refused" }), undefined);
});
