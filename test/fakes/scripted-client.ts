// The operator's own client, connected to a scripted API server for the time of a test.
import type { TestContext } from "node:test";
import { KubeConfig } from "@kubernetes/client-node";
import { accessOf } from "../../operator/kube/access";
import { KubeClient } from "../../operator/kube/client";
import { startScriptedApi, type ScriptedApi } from "./scripted-api";

/** Both end with the test. */
export async function connected(t: TestContext): Promise<{ readonly api: ScriptedApi; readonly client: KubeClient }> {
  const api = await startScriptedApi();
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfig);
  const client = new KubeClient(accessOf(config), "tester");
  t.after(async () => {
    await client.close();
    await api.stop();
  });
  return { api, client };
}
