import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { imageDirectory } from "./directory";
import { directoryOf, RECIPES } from "./recipes";

test("of each engine the version that every cluster gets comes first, so that it leads the catalogue", () => {
  const seen = new Set<string>();
  for (const { name, server, extra } of RECIPES) {
    if (server === undefined || seen.has(server.engine)) continue;
    seen.add(server.engine);
    assert.ok(!extra, `${name} is the first of ${server.engine}, and is built only when it is asked for`);
  }
  assert.ok(seen.has("postgresql"));
});

test("each image has a name of its own and a Dockerfile, which several may share", () => {
  const names = RECIPES.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
  for (const recipe of RECIPES) assert.ok(existsSync(join(imageDirectory(directoryOf(recipe)), "Dockerfile")));
});
