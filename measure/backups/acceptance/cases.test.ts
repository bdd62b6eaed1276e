import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { allCases } from "../../../test/judges/reliability/proofs";
import { groupNames, wholeFilesOf } from "../../../test/runner/groups";
import { sourcesOf } from "../../../test/runner/told";
import { scenarios } from "../scenarios";
import type { Holder } from "./case";
import { capabilities } from "./capabilities";
import { acceptanceCases } from "./cases";

const root = join(__dirname, "../../..");
const holders = [...acceptanceCases, ...capabilities].flatMap(({ heldBy }) => heldBy);
const tests = holders.filter((holder) => holder.kind === "test");

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** Whether a source has a test of that name, one whose name ends with a key of a table, or a table of tests a row of it. */
const hasTest = (text: string, name: string): boolean =>
  [`test(${JSON.stringify(name)}, `, `\n  ${name}: {\n`].some((source) => text.includes(source)) ||
  [...text.matchAll(/test\(`([^`$]+)\$\{\w+\}`/g)].some(
    ([, start = ""]) => name.startsWith(start) && text.includes(`\n  ${JSON.stringify(name.slice(start.length))}: `),
  );

test("there are 22 cases, in their order", () => {
  const numbers = Array.from({ length: 22 }, (_, index) => index + 1);
  assert.deepEqual(
    acceptanceCases.map(({ number }) => number),
    numbers,
  );
});

test("each test that holds a case exists", () => {
  const missing = tests.filter(({ file, test: name }) => !hasTest(textOf(file), name));
  assert.deepEqual(
    missing.map(({ file, test: name }) => `${file}: ${name}`),
    [],
  );
});

test("a name that no test has is found missing", () => {
  const text = [
    'test("a backup is taken", async () => {});',
    '// test("a backup is lost"',
    "const cases = {",
    "  Overdue: {",
    '  "of one": async () => {},',
    "test(`restored ${what}`, async () => {});",
    "",
  ].join("\n");
  const there = ["a backup is taken", "Overdue", "restored of one"];
  const missing = ["a backup", "a backup is lost", "restored of two", "of one"];
  assert.deepEqual(
    [...there, ...missing].filter((name) => hasTest(text, name)),
    there,
  );
});

test("each group that a test is said to be in is the one of its file, and a story without one is in none", () => {
  const wrong = tests.filter(({ file, group, isReal }) => {
    const mentioned = [...textOf(file).matchAll(/\brotating(?:Story)?\(\s*"([\w-]+)"/g)].map(([, name]) => name);
    const groups = [...mentioned, ...groupNames.filter((name) => wholeFilesOf(name).includes(file))];
    return isReal && (group === undefined ? groups.length > 0 : !groups.includes(group));
  });
  assert.deepEqual(wrong, []);
});

test("each story is told by a file of tests", () => {
  const told = new Set(globSync("test/e2e/*.test.ts", { cwd: root }).flatMap((file) => [...sourcesOf(file).keys()]));
  const stories = tests.map(({ file }) => file).filter((file) => file.startsWith("test/e2e/"));
  assert.ok(stories.length > 0);
  assert.deepEqual(
    stories.filter((file) => !told.has(file)),
    [],
  );
});

test("each case of reliability that holds one exists", async () => {
  const known = new Set([...(await allCases()).values()].flatMap((ofFile) => [...ofFile.values()].map(({ id }) => id)));
  const named = holders.filter((holder) => holder.kind === "reliability").map(({ id }) => id);
  assert.ok(named.length > 0);
  assert.deepEqual(
    named.filter((id) => !known.has(id)),
    [],
  );
});

test("each measured step is one of its scenario, and each step of a scenario holds a case", () => {
  const textOfStep = ({ scenario, step }: Extract<Holder, { kind: "measured" }>): string => `${scenario} ${step}`;
  const held = new Set(holders.filter((holder) => holder.kind === "measured").map(textOfStep));
  const there = Object.entries(scenarios).flatMap(([name, { steps }]) => steps.map((step) => `${name} ${step}`));
  assert.deepEqual([...held].sort(), there.sort());
});
