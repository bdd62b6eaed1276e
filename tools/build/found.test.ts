import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { findFitting } from "./found";
import { findTool } from "./tools";

let root: string;
const kubectl = findTool("kubectl", "linux").tool;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "found-"));
});
after(async () => {
  await rm(root, { recursive: true });
});

/** A directory with a `kubectl` that prints a text and ends with a code. */
async function withKubectl(directory: string, text: string, code = 0): Promise<string> {
  await mkdir(join(root, directory), { recursive: true });
  const file = join(root, directory, "kubectl");
  await writeFile(file, `#!/bin/sh\necho "${text}"\nexit ${code}\n`);
  await chmod(file, 0o755);
  return join(root, directory);
}

test("the first program on PATH whose version fits is used", async () => {
  const old = await withKubectl("old", "Client Version: v1.30.1");
  const broken = await withKubectl("broken", "Client Version: v1.34.0", 1);
  const fitting = await withKubectl("fitting", "Client Version: v1.34.0");
  const newer = await withKubectl("newer", "Client Version: v1.35.0");
  const path = [join(root, "missing"), old, broken, fitting, newer].join(":");
  assert.equal(await findFitting(kubectl, "1.34.4", { path, except: "/cache" }), join(fitting, "kubectl"));
});

test("what we built ourselves, and linked into PATH, is not taken for a found program", async () => {
  const built = await withKubectl("cache/kubernetes", "Client Version: v1.34.4");
  const bin = join(root, "bin");
  await mkdir(bin);
  await symlink(join(built, "kubectl"), join(bin, "kubectl"));
  assert.equal(await findFitting(kubectl, "1.34.4", { path: bin, except: join(root, "cache") }), undefined);
});

test("without a fitting program there is none", async () => {
  const path = await withKubectl("old", "Client Version: v1.30.1");
  assert.equal(await findFitting(kubectl, "1.34.4", { path, except: "/cache" }), undefined);
});
