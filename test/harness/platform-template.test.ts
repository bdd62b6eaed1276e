import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { keyOf } from "../../tools/host/kept";
import { sourcesIn } from "./platform-template";

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "template-"));
  for (const directory of ["infra/crds", "stacks", "operator"]) await mkdir(join(root, directory), { recursive: true });
});
after(async () => {
  await rm(root, { recursive: true });
});

test("the key changes with each part and with each source, and with nothing else", async () => {
  assert.equal(keyOf("a", "b"), keyOf("a", "b"));
  assert.notEqual(keyOf("a", "b"), keyOf("ab", ""));
  const seen = new Set([await sourcesIn(root)]);
  const differs = async (): Promise<boolean> => {
    const text = await sourcesIn(root);
    return !seen.has(text) && seen.add(text).size > 0;
  };
  for (const file of ["infra/crds/databases.yaml", "infra/index.ts", "stacks/Pulumi.local.yaml", "package-lock.json"]) {
    await writeFile(join(root, file), "one");
    assert.ok(await differs(), `${file} is new`);
    await writeFile(join(root, file), "two");
    assert.ok(await differs(), `${file} is another`);
  }
  for (const file of ["infra/infra.test.ts", "operator/main.ts", "stacks/Pulumi.prod.yaml"]) {
    await writeFile(join(root, file), "one");
    assert.ok(!(await differs()), file);
  }
});

test("a clone of the sources elsewhere has the same key", async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), "template-"));
  await writeFile(join(elsewhere, "Pulumi.yaml"), "one");
  const text = await sourcesIn(elsewhere);
  await rm(elsewhere, { recursive: true });
  assert.ok(!text.includes(elsewhere), text);
});
