import assert from "node:assert/strict";
import test from "node:test";
import { better, maxBehind, positionStatement, type Position } from "./source";

const at = (host: string, behind = 0): Position => ({
  ...{ host, behind, group: "g", server: "9.7.4", transactions: "", databases: 1 },
  ...{ bytes: 1, redo: 1, settings: {} },
});

test("a replica that keeps up is preferred", () => {
  assert.equal(better(at("replica", maxBehind), at("primary"))?.host, "replica");
});

test("a replica that lags or does not answer is skipped, and the primary is used", () => {
  assert.equal(better(at("replica", maxBehind + 1), at("primary"))?.host, "primary");
  assert.equal(better({ unfit: "refused" }, at("primary"))?.host, "primary");
});

test("a lagging replica does not stand in for a primary that refuses", () => {
  assert.equal(better(at("replica", maxBehind + 1), { unfit: "refused" }), undefined);
});

test("tables in the system tablespace are counted as well", () => {
  assert.match(positionStatement, /FROM information_schema\.FILES WHERE TABLESPACE_NAME = 'innodb_system'/);
});
