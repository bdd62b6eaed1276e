// Where files of tests leave what there is to look into: kept and named where something failed, gone where nothing did.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import type { TestEnd } from "./events";
import { evidenceVariable, lastWordsIn, openEvidence } from "./evidence";

const end = (result: TestEnd["result"]): TestEnd => ({
  ...{ file: "test/a.test.ts", name: "it holds", nesting: 0, isSuite: false, ms: 1 },
  result,
});

/** Has a file leave something, and end so; returns where it left it, and what was said of it. */
function leave(result: TestEnd["result"]): {
  readonly left: string;
  readonly told: string | undefined;
  readonly root: string;
} {
  const root = mkdtempSync(join(tmpdir(), "evidence-"));
  const store = openEvidence(root);
  const left = store.environmentOf("test/a.test.ts")[evidenceVariable] ?? "";
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, "operator-1.log"), "it said this");
  const told = store.settle({ file: "test/a.test.ts", ends: [end("passed"), end(result)], ms: 1 });
  store.close();
  return { left, told, root };
}

test("what belongs to a file that passed is removed, and nothing is said of it", () => {
  const { told, root } = leave("passed");
  assert.equal(told, undefined);
  assert.ok(!existsSync(root));
});

test("what belongs to a file of which a test failed is kept, and its place is printed", () => {
  const { left, told, root } = leave("failed");
  assert.equal(told, left);
  assert.ok(existsSync(join(left, "operator-1.log")));
  rmSync(root, { recursive: true });
});

test("the last warnings of the first failure are printed, and what the pods of the last one's namespace wrote last", () => {
  const root = mkdtempSync(join(tmpdir(), "evidence-"));
  for (const [moment, names] of [
    ["1-first", ["a", "b", "c"]],
    ["2-second", ["d"]],
  ] as const) {
    mkdirSync(join(root, moment, "c1"), { recursive: true });
    const lines = names.flatMap((name) => [
      `10:00 Warning shop Pod/${name} Failed: no`,
      `10:01 Normal shop Pod/x Ok: x`,
    ]);
    writeFileSync(join(root, moment, "c1", "events.txt"), lines.join("\n"));
    mkdirSync(join(root, moment, "c1", "logs"));
    for (const pod of ["shop.a", "shop.b", "other.a"])
      writeFileSync(join(root, moment, "c1", "logs", `${pod}.log`), `${pod} began\n${pod} of ${moment} waits\n`);
    writeFileSync(join(root, moment, "c1", "logs", "shop.silent.log"), "");
  }
  assert.deepEqual(lastWordsIn(root, 2), [
    "10:00 Warning shop Pod/b Failed: no",
    "10:00 Warning shop Pod/c Failed: no",
    "shop.a of 1-first waits",
    "shop.b of 1-first waits",
  ]);
  rmSync(root, { recursive: true });
});
