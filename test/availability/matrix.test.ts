import assert from "node:assert/strict";
import test from "node:test";
import { faultNames } from "./faults/faults";
import { cellsOf, engineNames, goalSeconds } from "./matrix";

for (const engine of engineNames) {
  test(`${engine}: every fault is measured, each with the operator stopped unless it is the operator's own work`, () => {
    const cells = cellsOf(engine);
    for (const fault of faultNames) {
      const found = cells.filter((cell) => cell.fault === fault);
      const isOperators = ["rolling-config", "minor-upgrade"].includes(fault);
      assert.ok(found.some(({ mode }) => mode === "operator running"));
      assert.equal(
        found.some(({ mode }) => mode === "operator stopped"),
        !isOperators,
      );
    }
    assert.equal(new Set(cells.map((cell) => JSON.stringify(cell))).size, cells.length);
  });
}

test("PostgreSQL is measured with asynchronous and with synchronous replication, kills and deletions in both modes", () => {
  for (const fault of faultNames) {
    const found = cellsOf("postgresql").filter((cell) => cell.fault === fault);
    assert.deepEqual([...new Set(found.map(({ replication }) => replication))], ["asynchronous", "synchronous"]);
    if (fault === "kill" || fault === "pod-deletion") assert.equal(found.length, 4);
  }
});

test("goals are those of the engine; a full outage and a cut have none in seconds", () => {
  assert.equal(goalSeconds("postgresql", "kill"), 5);
  assert.equal(goalSeconds("postgresql", "rolling-config"), 3);
  assert.equal(goalSeconds("mysql", "pod-deletion"), 15);
  assert.equal(goalSeconds("mysql", "frozen"), 25);
  assert.equal(goalSeconds("mysql", "all-killed"), undefined);
  assert.equal(goalSeconds("postgresql", "cut-off"), undefined);
});
