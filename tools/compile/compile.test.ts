import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { programVersion } from "../../operator/stack/program-version";
import { run } from "../host/command";
import { compiled, nodeArguments, type Compiled } from "./compile";

let directory: string;
let programs: Compiled;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "compiled-"));
  // two at once, as test files do
  [programs] = await Promise.all([compiled(directory), compiled(directory)]);
});
after(() => rm(directory, { recursive: true }));

for (const name of ["operator", "console", "preview", "state"] as const) {
  test(`${name} starts, compiled and outside of the repository`, async () => {
    assert.match(await run(process.execPath, [...nodeArguments, programs[name], "--help"]), /^Usage: /);
  });
}

test("a compiled operator starts where no cache can be kept", async () => {
  await rm(join(directory, ".cache"), { recursive: true, force: true });
  await writeFile(join(directory, ".cache"), "not a directory");
  assert.match(await run(process.execPath, [programs.operator, "--help"]), /^Usage: /);
});

test("a compiled operator answers with the version of the sources that it was compiled from", async () => {
  const text = await readFile(join(directory, "programs/operator.js"), "utf8");
  assert.ok(text.includes(`"${programVersion()}"`));
});

test("what is current is not compiled again", async () => {
  const timeOf = async (): Promise<number> => (await stat(programs.operator)).mtimeMs;
  const before = await timeOf();
  await compiled(directory);
  assert.equal(await timeOf(), before);
});

test("what is not as the sources are is compiled again", async () => {
  await writeFile(join(directory, ".sources"), "of other sources");
  await writeFile(join(directory, "programs/operator.js"), "of other sources");
  await compiled(directory);
  assert.ok((await readFile(join(directory, "programs/operator.js"), "utf8")).length > 1_000_000);
});

test("libraries that the operator never runs are not in it", async () => {
  const text = await readFile(join(directory, "programs/operator.js"), "utf8");
  assert.ok(text.length < 12_000_000, `${text.length} characters`);
  for (const library of ["node_modules/typescript/", "node_modules/@npmcli/", "client-node/dist/gen/models/"]) {
    assert.ok(!text.includes(`// ${library}`), library);
  }
});

test("the SDK of Pulumi is in it once, and only as one kind of module", async () => {
  const text = await readFile(join(directory, "programs/operator.js"), "utf8");
  assert.equal(text.match(/^ *"\S*node_modules\/@pulumi\/pulumi\/runtime\/state\.js"\(/gm)?.length, 1);
});
