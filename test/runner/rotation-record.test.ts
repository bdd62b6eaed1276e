import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { groupNames } from "./groups";
import { isContentOf } from "./history";
import { notesIn } from "./notes";
import { changedGroups, filesByGroup, leftOutIn, recordOf } from "./rotation-record";
import { sourcesOf } from "./told";

const root = join(__dirname, "../..");

test("a group is forced where its folders changed since it passed, or where it is not known to have passed", () => {
  const passed = { commit: "c", date: "d", content: "same" };
  const record = Object.fromEntries(groupNames.map((name) => [name, passed]));
  assert.deepEqual(
    changedGroups(record, () => "same"),
    [],
  );
  assert.deepEqual(
    changedGroups(record, (name) => (name === "cut-off" ? "other" : "same")),
    ["cut-off"],
  );
  assert.deepEqual(
    changedGroups({}, () => "same"),
    groupNames,
  );
  assert.deepEqual(
    changedGroups(record, () => undefined),
    groupNames,
  );
  assert.deepEqual(
    changedGroups({}, () => ""),
    [],
    "a group without tests",
  );
});

test("unit tests and pages beside the sources do not force a group, a file that it names does", () => {
  const counts = isContentOf(["operator/wiring", "test/cluster/drift.test.ts"]);
  assert.equal(counts("operator/wiring/operator.ts"), true);
  assert.equal(counts("test/cluster/drift.test.ts"), true);
  for (const path of ["operator/wiring/operator.test.ts", "operator/wiring/README.md", ""])
    assert.equal(counts(path), false, path);
});

test("a group is found where it is registered", () => {
  const sources = new Map([
    ["test/e2e/a.test.ts", 'rotating("cut-off", () => test("x", body));'],
    ["test/e2e/b.test.ts", 'rotating(\n  "cut-off",\n'],
    ["test/e2e/d.test.ts", 'export const told = rotatingStory("cut-off", 2, (stage) => {'],
    ["test/e2e/c.test.ts", '// "cut-off" is elsewhere'],
  ]);
  assert.deepEqual(filesByGroup(sources).get("cut-off"), [
    "test/e2e/a.test.ts",
    "test/e2e/b.test.ts",
    "test/e2e/d.test.ts",
  ]);
  assert.deepEqual(filesByGroup(sources).get("linters"), ["test/cluster/linters.test.ts"]);
});

test("a file that imports a story tells it, or its groups would never be known to have passed", () => {
  const imported = globSync("test/e2e/*.test.ts", { cwd: root }).filter((path) => sourcesOf(path).size > 1);
  const silent = imported.filter((path) => !readFileSync(join(root, path), "utf8").includes("onOneCluster("));
  assert.ok(imported.length > 0);
  assert.deepEqual(silent, []);
});

const note = (file: string, isHere: boolean): string =>
  JSON.stringify({ kind: "rotating", file, group: "cut-off", tests: 2, isHere });

test("tests that were left out are counted by group, and a line that is cut off does not count", () => {
  const notes = notesIn(`${note("a", false)}\n${note("b", false)}\n${note("c", true)}\n{"kind":"pha`);
  assert.deepEqual(leftOutIn(notes), { tests: 4, groups: 1 });
});

test("only a group whose files all ran without a failure has passed", () => {
  const files = filesByGroup().get("cut-off") ?? [];
  const run = { content: () => "now", commit: "c", date: "d" };
  const all = new Set(files);
  const ran = notesIn(files.map((file) => note(file, true)).join("\n"));
  const isPassed = (notes: typeof ran, failed: readonly string[], ended: ReadonlySet<string> = all): boolean =>
    recordOf({}, { ...run, notes, ended, failed: new Set(failed) })["cut-off"] !== undefined;
  assert.equal(isPassed(ran, []), files.length > 0);
  assert.equal(isPassed(ran, [], new Set(files.slice(1))), false, "a file that still runs");
  assert.equal(isPassed(ran, files.slice(0, 1)), false);
  assert.equal(isPassed([], []), false);
});
