import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { after, before } from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import { version } from "../../package.json";
import { run } from "../host/command";
import { buildRelease } from "./build";

const url = "https://releases.example.com/v1";
const Manifest = z.object({
  spec: z.object({
    platforms: z.tuple([
      z.object({
        ...{ uri: z.string(), sha256: z.string(), bin: z.string() },
        files: z.array(z.object({ from: z.string(), to: z.literal(".") })),
      }),
    ]),
  }),
});
type Platform = z.infer<typeof Manifest>["spec"]["platforms"][0];

let directory: string;
let platform: Platform;
let archive: string;
/** Where it is installed, as krew does it. */
let installed: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "released-plugin-"));
  const files = await buildRelease(url, directory);
  const manifest = files.find((file) => file.endsWith(".yaml")) ?? assert.fail("there is no manifest");
  [platform] = Manifest.parse(parse(await readFile(manifest, "utf8"))).spec.platforms;
  archive = join(directory, basename(platform.uri));
  const unpacked = join(directory, "unpacked");
  installed = join(directory, "installed");
  await Promise.all([unpacked, installed].map((path) => mkdir(path)));
  await run("tar", ["-xzf", archive, "-C", unpacked]);
  for (const { from } of platform.files) await run("cp", [join(unpacked, from), installed]);
});
after(() => rm(directory, { recursive: true }));

test("the manifest names the archive, as it is", async () => {
  assert.equal(platform.uri, `${url}/${basename(archive)}`);
  const hash = createHash("sha256").update(await readFile(archive));
  assert.equal(platform.sha256, hash.digest("hex"));
});

test("what krew installs starts without Node, also by a link, and has its license beside it", async () => {
  const program = join(installed, platform.bin);
  const alone = { cwd: tmpdir(), env: { PATH: "" } };
  assert.equal(await run(program, ["version"], alone), version);
  assert.match(await run(program, ["--help"], alone), /^Usage: kubectl database-operator VERB/);
  const link = join(directory, "kubectl_complete-database_operator");
  await symlink(program, link);
  assert.match(await run(link, ["st"], alone), /^status\t/);
  assert.ok((await stat(join(installed, "LICENSE"))).size > 10_000);
});
