import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { rootAbove } from "./root";

test("the root is found from sources and from compiled programs", () => {
  const root = rootAbove(__dirname);
  assert.ok(existsSync(join(root, "package.json")));
  assert.equal(rootAbove(join(root, "dist/programs")), root);
});

test("outside the repository the error says what is missing", () => {
  assert.throws(() => rootAbove("/"), /stacks\/database is missing/);
});
