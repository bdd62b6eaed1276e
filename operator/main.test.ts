// The operator's process before it has begun: what it needs to start may never answer.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "mute", cluster: { server } }],
    contexts: [{ name: "mute", context: { cluster: "mute", user: "mute" } }],
    users: [{ name: "mute", user: {} }],
    "current-context": "mute",
  });

test("told to stop while the API server answers nothing, it ends in order", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "operator-main-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const mute = createServer();
  mute.listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port }: AddressInfo = addressOf(mute.address());
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(`https://127.0.0.1:${port}`));

  const asked = once(mute, "connection");
  const child = spawn(process.execPath, ["--import", "tsx", join(__dirname, "main.ts")], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) =>
    child.once("exit", (...how) => {
      resolve(how);
    }),
  );
  t.after(() => child.kill("SIGKILL"));
  t.after(() => mute.close());
  await Promise.race([asked, ended]);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

function addressOf(address: string | AddressInfo | null): AddressInfo {
  assert(typeof address === "object" && address !== null);
  return address;
}
