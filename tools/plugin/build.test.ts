import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { version } from "../../package.json";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { startScriptedApi, type ScriptedApi } from "../../test/fakes/scripted-api";
import { CommandError, run } from "../host/command";
import { buildPlugin, type BuiltPlugin } from "./build";
import { krewManifest } from "./krew";

let directory: string;
let plugin: BuiltPlugin;
let api: ScriptedApi;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "built-plugin-"));
  plugin = await buildPlugin(directory);
  api = await startScriptedApi();
  const databases = everything.filter(({ kind, metadata }) => kind === "Database" && metadata.namespace === "shop");
  api.on(/^GET \/apis\/example\.com\/v1\/namespaces\/default\/databases$/, (response) => {
    response.end(JSON.stringify({ items: databases }));
  });
});
after(async () => {
  await api.stop();
  await rm(directory, { recursive: true });
});

const environment = (): Record<string, string> => ({
  KUBECONFIG: api.kubeconfig,
  PATH: [directory, process.env["PATH"] ?? ""].join(delimiter),
});

test("the built file starts by its name, outside of the repository, and tells its verbs", async () => {
  const printed = await run("kubectl-database_operator", ["--help"], { cwd: tmpdir(), env: environment() });
  assert.match(printed, /^Usage: kubectl database-operator VERB/);
  assert.equal(await run(plugin.program, ["version"], { cwd: tmpdir() }), version);
});

test(
  "a completion ends where the API server is silent, and a list that is followed with its reader",
  { timeout: 120_000 },
  async () => {
    api.on(/namespaces\/silent\/databases/, () => undefined);
    const words = ["__complete", "status", "-n", "silent", ""];
    assert.equal(await run(plugin.program, words, { env: environment() }), ":4");
    // what is printed after its reader is gone ends it
    const changed = { ...orders, metadata: { ...orders.metadata, deletionTimestamp: "2026-11-27T15:00:00Z" } };
    api.on(/databases\?.*watch=true/, (response) => {
      setTimeout(() => response.write(`${JSON.stringify({ type: "MODIFIED", object: changed })}\n`), 500);
    });
    const piped = `timeout 60 ${plugin.program} status --watch | head -1`;
    assert.match(await run("sh", ["-c", piped], { env: environment() }), /^NAME /);
    const full = await run("sh", ["-c", `${plugin.program} --help > /dev/full; echo $?`], { env: environment() });
    assert.equal(full, "2");
  },
);

test("it asks the cluster of the kubeconfig", async () => {
  const printed = await run(plugin.program, ["status"], { cwd: tmpdir(), env: environment() });
  assert.match(printed, /^NAME .*\ncart {5}STALLED .*\norders {3}READY /);
});

test("it starts where a package.json above it makes modules of files", async () => {
  const above = join(directory, "modules");
  const program = join(above, "bin", "kubectl-database_operator");
  await mkdir(join(above, "bin"), { recursive: true });
  await writeFile(join(above, "package.json"), '{"type": "module"}');
  await copyFile(plugin.program, program);
  const printed = await run(program, ["status"], { cwd: tmpdir(), env: environment() });
  assert.match(printed, /^NAME .*\ncart {5}STALLED .*\norders {3}READY /);
});

test("it ends with 2 and says what was wrong", async () => {
  await assert.rejects(run(plugin.program, ["status", "--colour"], { env: environment() }), (error) => {
    assert.ok(error instanceof CommandError);
    assert.equal(error.code, 2);
    assert.match(error.printed, /did you mean --color\?/);
    return true;
  });
});

test("what kubectl runs for a completion proposes names, also as a link to the program", async () => {
  // as kubectl does, which the file calls
  await symlink(join(__dirname, "../../test/fakes/plugin/kubectl"), join(directory, "kubectl"));
  const proposed = await run("kubectl_complete-database_operator", ["status", "or"], { env: environment() });
  assert.equal(proposed, "orders\n:4");
  const link = join(directory, "link", "kubectl_complete-database_operator");
  await run("mkdir", ["-p", join(directory, "link")]);
  await symlink(plugin.program, link);
  assert.equal(await run(link, ["st"]), "status\tHow a Database fares, or all of a namespace\n:4");
});

test("what never runs is not in it", async () => {
  const text = await readFile(plugin.program, "utf8");
  assert.ok(text.length < 880_000, `${text.length} characters`);
  for (const left of ["CoreV1Api", "MockAgent", "無効な"]) assert.ok(!text.includes(left), left);
});

test("the npm package has the program and its completion, and needs nothing", async () => {
  const Manifest = z.strictObject({
    ...{ name: z.literal("kubectl-database-operator"), version: z.literal(version), license: z.literal("Apache-2.0") },
    ...{ description: z.string(), engines: z.object({ node: z.string() }), files: z.array(z.string()) },
    bin: z.record(z.string(), z.string()),
  });
  const { bin, files } = Manifest.parse(JSON.parse(await readFile(join(directory, "package.json"), "utf8")));
  assert.deepEqual([...Object.values(bin), "LICENSE", "THIRD-PARTY.txt"].sort(), [...files].sort());
  const notices = await readFile(join(directory, "THIRD-PARTY.txt"), "utf8");
  for (const name of ["zod", "yaml", "@kubernetes/client-node"])
    assert.match(notices, new RegExp(`^${name} [\\d.]+ \\(\\S+\\)\\n\\n.*`, "m"));
  assert.match(notices, /Copyright/);
  assert.ok((await stat(join(directory, "LICENSE"))).isFile());
  for (const file of Object.values(bin)) assert.ok(((await stat(join(directory, file))).mode & 0o111) !== 0, file);
});

test("krew gets an archive for each platform, and a short description within its bounds", () => {
  const Manifest = z.object({
    metadata: z.object({ name: z.literal("database-operator") }),
    spec: z.object({
      version: z.literal(`v${version}`),
      shortDescription: z.string().max(50),
      platforms: z.array(
        z.object({ uri: z.string(), sha256: z.string(), bin: z.literal("kubectl-database_operator") }),
      ),
    }),
  });
  const archive = { os: "linux", arch: "amd64", uri: "https://example.com/a.tar.gz", sha256: "f".repeat(64) } as const;
  const { spec } = Manifest.parse(krewManifest([archive, { ...archive, arch: "arm64" }]));
  assert.equal(spec.platforms.length, 2);
});
