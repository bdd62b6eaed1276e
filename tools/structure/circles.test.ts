import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { circles } from "./circles";

/** A project of these files. */
function planted(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "circles-"));
  t.after(() => {
    rmSync(root, { recursive: true });
  });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

for (const text of [
  'import "./b";',
  'import { b } from "./b";',
  'import type { B } from "./b";',
  'export * from "./b";',
  'export const b = import("./b");',
  'export const b = import("./b.js");',
  'export type B = import("./b").B;',
]) {
  test(`two files that import each other are a circle: ${text}`, (t) => {
    const root = planted(t, { "tools/a.ts": text, "tools/b.ts": 'export { a } from "./a";' });
    assert.deepEqual(circles(root), [["tools/a.ts", "tools/b.ts"]]);
  });
}

test("a circle over several files is reported in the order of its imports", (t) => {
  const root = planted(t, {
    "test/a.ts": 'import "./deep/b"; import "./c";',
    "test/deep/b.ts": 'import "../c";',
    "test/c.ts": 'import "../tools";',
    "tools/index.ts": 'import "../test/deep/b";',
  });
  assert.deepEqual(circles(root), [["test/c.ts", "tools/index.ts", "test/deep/b.ts"]]);
});

test("folders of the product that import each other are a circle, without one of files", (t) => {
  const root = planted(t, {
    "operator/kube/a.ts": 'import type { A } from "../stack/deep/a";',
    "operator/stack/b.ts": 'import "../kube/b";',
    "operator/kube/b.ts": "",
    "operator/stack/deep/a.ts": "",
  });
  assert.deepEqual(circles(root), [["operator/kube", "operator/stack"]]);
});

test("a file and a folder beside it that import each other are a circle", (t) => {
  const root = planted(t, {
    "operator/ports.ts": 'import "./stack/a";',
    "operator/stack/a.ts": "",
    "operator/stack/b.ts": 'import "../ports";',
  });
  assert.deepEqual(circles(root), [["operator/ports.ts", "operator/stack"]]);
});

test("what may import each other is not a circle: folders of tests, and what is below with what is above", (t) => {
  const root = planted(t, {
    "test/a/one.ts": 'import "../b/one";',
    "test/b/one.ts": "",
    "test/b/two.ts": 'import "../a/one";',
    "operator/stack/open.ts": 'import "./deep/a";',
    "operator/stack/deep/a.ts": 'import "../runner";',
    "operator/stack/runner.ts": 'import "node:fs";',
    "operator/kube/a.test.ts": 'import "../stack/open";',
    "operator/stack/a.test.ts": 'import "../kube/a";',
    "operator/kube/a.ts": "",
  });
  assert.deepEqual(circles(root), []);
});
