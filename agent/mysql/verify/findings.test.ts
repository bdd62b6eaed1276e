// What MySQL's server says of a backup in a drill.
import assert from "node:assert/strict";
import test from "node:test";
import { ServerEnded } from "../../supervise/while-it-runs";
import { DamagedNote } from "../../json-file";
import { ReplayProblem } from "../restore/replay-problem";
import { endFindingOf, isQuery, misfitOf, replayFindingOf, tableIs, type Told } from "./findings";

test("an earlier image's dump is no damage; files of no version are; a later version's do not fit", () => {
  assert.equal(misfitOf({ manifest: undefined, isDump: true }, "9.7.4"), "version");
  assert.equal(misfitOf({ manifest: undefined, isDump: false }, "9.7.4"), "damage");
  const of = (server: string): unknown => misfitOf({ manifest: { server }, isDump: false }, "9.7.4");
  assert.deepEqual([of("9.7.4"), of("9.7.5"), of("8.4.1")], [undefined, "version", "version"]);
});

for (const [error, finding] of [
  [new ReplayProblem("gap", "x"), "ArchiveDamaged"],
  [new ReplayProblem("changes", "x"), "ArchiveDamaged"],
  [new ReplayProblem("version", "x"), "VersionMismatch"],
  [new DamagedNote("x"), "ArchiveDamaged"],
  [new ServerEnded("x", null), "RestoreNotStarted"],
  [new ServerEnded("x", "SIGKILL"), "Interrupted"],
  [new Error("x"), "Interrupted"],
] as const) {
  const signal = error instanceof ServerEnded ? ` ${error.signal ?? "by itself"}` : "";
  const kind = error instanceof ReplayProblem ? ` ${error.kind}` : "";
  test(`a replay that ends with ${error.constructor.name}${kind}${signal}: ${finding}`, () => {
    assert.equal(replayFindingOf(error), finding);
  });
}

test("a server that ends while it reads has found damage, unless it was killed", () => {
  assert.equal(endFindingOf(new ServerEnded("x", "SIGABRT"), "DataDamaged"), "DataDamaged");
  assert.equal(endFindingOf(new ServerEnded("x", "SIGKILL"), "DataDamaged"), "Interrupted");
  assert.equal(endFindingOf(new Error("x"), "DataDamaged"), "Interrupted");
});

const told = (...rows: readonly (readonly [string, string])[]): Told[] => rows.map(([type, text]) => ({ type, text }));
for (const [rows, state] of [
  [told(["status", "OK"]), "whole"],
  [told(["status", "Table is already up to date"]), "whole"],
  [told(["warning", "InnoDB: The B-tree of index PRIMARY is corrupted."], ["error", "Corrupt"]), "damaged"],
  [told(["warning", "InnoDB: Index 'k' contains 3 entries, should be 4."], ["error", "Corrupt"]), "damaged"],
  [told(["warning", "Tablespace is missing for table app/items"], ["status", "Operation failed"]), "damaged"],
  [told(["note", "The storage engine for the table doesn't support check"]), "unchecked"],
  [told(["error", "Out of memory"], ["status", "Operation failed"]), "unchecked"],
  [told(), "unchecked"],
] as const) {
  test(`a table of which is told ${JSON.stringify(rows)} is ${state}`, () => {
    assert.equal(tableIs(rows), state);
  });
}

test("a query begins as one", () => {
  for (const text of ["SELECT 1", " (select 1)", "\nVALUES ROW(1)", "WITH a AS (SELECT 1) SELECT * FROM a"])
    assert.equal(isQuery(text), true, text);
  for (const text of ["CALL x()", "DO SLEEP(1)", "SET PASSWORD = 'x'", "/* */ DROP TABLE x", "SELECTED"])
    assert.equal(isQuery(text), false, text);
});
