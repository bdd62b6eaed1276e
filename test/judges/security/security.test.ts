// Each test that SECURITY.md names exists, and is run.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { hasTest } from "../../runner/test-names";
import { sourcesOf } from "../../runner/told";
import type { Cite } from "./actor";
import { actors, securityPage } from "./page";

const root = join(__dirname, "../../..");

const cites: readonly Cite[] = actors.flatMap(({ barriers, open }) => [
  ...barriers.flatMap(({ tried }) => tried),
  ...open.flatMap((one) => (typeof one === "string" ? [] : one.shown)),
]);
const tests = cites.filter((cite) => cite.kind === "test");

test("each test that is named exists", () => {
  const missing = tests.filter(({ file, test: name }) => !hasTest(readFileSync(join(root, file), "utf8"), name));
  assert.deepEqual(
    missing.map(({ file, test: name }) => `${file}: ${name}`),
    [],
  );
});

test("each file of tests that is named is run, or told by one that is", () => {
  const files = globSync("test/{cluster,e2e}/**/*.test.ts", { cwd: root });
  const told = new Set(files.flatMap((file) => [...sourcesOf(file).keys()]));
  const isRun = (file: string): boolean => told.has(file) || (file.endsWith(".test.ts") && !file.startsWith("test/"));
  assert.deepEqual(
    tests.map(({ file }) => file).filter((file) => !isRun(file)),
    [],
  );
});

test("what stops them is explained on a page", () => {
  const barriers = actors.flatMap(({ who, barriers }) =>
    barriers.map(({ from, by }) => ({ what: `${who}: ${from}`, by })),
  );
  assert.deepEqual(
    barriers.filter(({ by }) => !/\]\([^)]+\)/.test(by)).map(({ what }) => what),
    [],
  );
});

test("each who has a heading of their own, and something that nothing stops", () => {
  const headings = actors.map(({ who }) => who);
  assert.deepEqual([...new Set(headings)], headings);
  const page = securityPage();
  for (const { who, open } of actors) {
    assert.ok(page.includes(`\n### ${who}\n`), who);
    assert.ok(open.length > 0, who);
  }
});
