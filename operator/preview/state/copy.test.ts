import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { specOf } from "../../../test/fakes/specs";
import { layOut, type Copy } from "./copy";
import { readProgram } from "./program-file";

let project: string;
before(async () => {
  // what a shell would take apart
  project = await mkdtemp(join(tmpdir(), "state's copy-"));
});
after(async () => {
  await rm(project, { recursive: true, force: true });
});

function copy(): Copy {
  const owner = { name: "shop", namespace: "team", uid: "u" };
  const desired = {
    owner,
    spec: specOf(),
    image: "i:1",
    config: { work_mem: "8MB" },
    serviceMonitors: false,
  };
  const passwords = { app: "a", superuser: "s", replication: "r", monitor: "m", rest: "x" };
  const program = { desired, passwords };
  const checkpoint = { text: "{}", salt: "v1:salt" };
  return { stack: "team.shop", program, checkpoint, history: [], passphrase: "secret" };
}
const lay = (): Promise<string> => layOut(copy(), { project, path: ["/opt/bin"], kubeconfig: "/k" });

test("a copy can be read by this user only, and holds nothing of an earlier one", async () => {
  const directory = await lay();
  await lay();
  const names = await readdir(directory, { recursive: true });
  for (const name of names) {
    const { mode } = await stat(join(directory, name));
    assert.equal(mode & 0o077, 0, name);
  }
  assert.deepEqual(names.sort(), [
    ".pulumi",
    ".pulumi/stacks",
    ".pulumi/stacks/databases",
    ".pulumi/stacks/databases/team.shop.json",
    "env",
    "passphrase",
    "program.json",
  ]);
  assert.match(await readFile(join(project, ".state/Pulumi.team.shop.yaml"), "utf8"), /^encryptionsalt: v1:salt$/m);
});

test("the program comes back as it was written", async () => {
  await lay();
  assert.deepEqual(await readProgram(project, "team.shop"), copy().program);
});

test("without a copy the program says what to run", async () => {
  await assert.rejects(readProgram(project, "team.other"), /make state/);
});

test("a shell that reads the variables finds everything, whatever the path is called", async () => {
  const directory = await lay();
  const script = `. "$1/env" && printf '%s\\n' "$PULUMI_STACK" "$PULUMI_BACKEND_URL" "\${PATH%%:*}" && cat "$PULUMI_CONFIG_PASSPHRASE_FILE"`;
  const printed = execFileSync("bash", ["-c", script, "bash", directory], { encoding: "utf8" });
  assert.deepEqual(printed.split("\n"), ["team.shop", `file://${directory}`, "/opt/bin", "secret"]);
});
