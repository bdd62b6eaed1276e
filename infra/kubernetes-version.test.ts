import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { type TestContext } from "node:test";
import { json, startScriptedApi, type ScriptedApi } from "../test/fakes/scripted-api";
import { requireKubernetes } from "./kubernetes-version";

async function cluster(
  t: TestContext,
  version?: { readonly major: string; readonly minor: string },
): Promise<ScriptedApi> {
  const api = await startScriptedApi();
  t.after(() => api.stop());
  if (version !== undefined) api.on(/^GET \/version/, json({ ...version, gitVersion: "", platform: "" }));
  return api;
}

test("a cluster that is too old is refused, given by kubeconfig file, content or context", async (t) => {
  const { kubeconfig } = await cluster(t, { major: "1", minor: "29" });
  const refusal = /Kubernetes 1\.29, and database-operator needs 1\.30 or newer/;
  await assert.rejects(requireKubernetes({ kubeconfig }), refusal);
  await assert.rejects(requireKubernetes({ kubeconfig: await readFile(kubeconfig, "utf8"), context: "x" }), refusal);
});

test("a cluster that is new enough is not refused", async (t) => {
  const { kubeconfig } = await cluster(t, { major: "1", minor: "30" });
  await requireKubernetes({ kubeconfig });
});

test("a cluster that does not report its version, or does not answer, is left to the provider", async (t) => {
  const api = await cluster(t);
  await requireKubernetes({ kubeconfig: api.kubeconfig });
  await requireKubernetes({ kubeconfig: api.kubeconfig, context: "none" });
  await requireKubernetes({ kubeconfig: "not: a kubeconfig" });
});
