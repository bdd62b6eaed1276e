// The operator's process before it has begun: what it needs to start may never answer.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { startScriptedApi } from "../test/fakes/scripted-api";

test("told to stop while the API server answers nothing, it ends in order", async (t) => {
  const api = await startScriptedApi();
  t.after(() => api.stop());
  const asked = new Promise<void>((resolve) => {
    api.on(/^/, () => {
      resolve();
    });
  });
  const child = spawn(process.execPath, ["--import", "tsx", join(__dirname, "main.ts")], {
    env: { ...process.env, KUBECONFIG: api.kubeconfig },
    stdio: "ignore",
  });
  t.after(() => child.kill("SIGKILL"));
  const ended: Promise<unknown[]> = once(child, "exit");
  await Promise.race([asked, ended]);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
