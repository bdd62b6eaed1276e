import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { vainWaits } from "./waits";

const root = join(__dirname, "../..");

test("no page waits for hours for what a failure never brings", () => {
  const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root })];
  assert.ok(pages.length > 40);
  const found = pages.flatMap((page) =>
    vainWaits(readFileSync(join(root, page), "utf8")).map((line) => `${page}: ${line}`),
  );
  assert.deepEqual(found, []);
});

test("a wait for readiness may take minutes, and one for hours must end with a failure, too", () => {
  const ready = "$ kubectl wait db/orders --for=condition=Ready";
  assert.deepEqual(vainWaits(`${ready} --timeout=6h\n${ready} --timeout=10m`), [`${ready} --timeout=6h`]);
  assert.deepEqual(vainWaits("$ kubectl wait dbb/a --for=jsonpath='{.status.completedAt}' --timeout=6h"), []);
  const succeeded = "$ kubectl wait dbb/a --for=jsonpath='{.status.phase}'=Succeeded --timeout=2h";
  assert.deepEqual(vainWaits(succeeded), [succeeded]);
});
