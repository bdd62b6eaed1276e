import assert from "node:assert/strict";
import test from "node:test";
import { faultNames, type FaultName } from "./faults/list";
import { boundSeconds, cellsOf, engineNames, goalSeconds, type EngineName } from "./matrix";

const kindsOf = (engine: EngineName, fault: FaultName): string[] =>
  cellsOf(engine)
    .filter((cell) => cell.fault === fault)
    .map(({ replication, mode }) => `${replication}, ${mode}`);

for (const engine of engineNames) {
  test(`${engine}: every fault is measured, no kind of try is there twice, and the operator's own work is done with it`, () => {
    for (const fault of faultNames) {
      const kinds = kindsOf(engine, fault);
      assert.ok(kinds.length > 0, fault);
      assert.equal(new Set(kinds).size, kinds.length);
      if (["rolling-config", "minor-upgrade"].includes(fault))
        assert.ok(kinds.every((kind) => kind.endsWith("operator running")));
      else assert.ok(kinds.some((kind) => kind.endsWith("operator stopped")));
    }
  });
}

test("kills and deletions of PostgreSQL are measured with either replication in either mode", () => {
  for (const fault of ["kill", "pod-deletion"] as const) assert.equal(kindsOf("postgresql", fault).length, 4);
});

test("what else can happen to a primary of PostgreSQL is measured with either replication", () => {
  for (const fault of [
    "kept-away",
    "frozen",
    "agent-frozen",
    "switchover",
    "all-pods-deleted",
    "all-killed",
    "cut-off",
  ] as const)
    assert.deepEqual(kindsOf("postgresql", fault), ["asynchronous, operator running", "synchronous, operator stopped"]);
});

test("goals are those of the engine; a full outage and a cut have none in seconds", () => {
  assert.equal(goalSeconds("postgresql", "kill"), 5);
  assert.equal(goalSeconds("postgresql", "rolling-config"), 3);
  assert.equal(goalSeconds("mysql", "pod-deletion"), 15);
  assert.equal(goalSeconds("mysql", "frozen"), 25);
  assert.equal(goalSeconds("mysql", "all-killed"), undefined);
  assert.equal(goalSeconds("postgresql", "cut-off"), undefined);
});

test("every fault has a bound for tests, three times what is asked for or usual where it may be noticed", () => {
  for (const engine of engineNames) for (const fault of faultNames) assert.ok(boundSeconds(engine, fault) > 0);
  assert.equal(boundSeconds("postgresql", "kill"), 15);
  assert.equal(boundSeconds("postgresql", "cut-off"), 75);
  assert.equal(boundSeconds("postgresql", "api-frozen"), 2, "what is not to be noticed has its goal alone");
});

test("on a machine that is busier than the three times allow for, the bound is what its pace makes of it", () => {
  assert.equal(boundSeconds("postgresql", "all-pods-deleted", 2.5), 30);
  assert.equal(boundSeconds("postgresql", "all-pods-deleted", 4.5), 45);
});
