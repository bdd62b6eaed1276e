// A watch of the operator that is half-open, and a change of which it hears only once it has noticed.
import assert from "node:assert/strict";
import { makeNamespace } from "../harness/kubectl";
import { ask, untilMemory } from "./shop";
import type { Rig } from "./rig";

export interface HalfOpen {
  /** How long it was half-open, once it is open again. Rejects after 150 s. */
  readonly seconds: Promise<number>;
}

/** Creates a Database that names a ConfigMap, freezes the watch of such ConfigMaps, and then asks there for 16MB of `work_mem`. */
export async function freezeSources({ kubectl, proxy }: Rig, namespace: string): Promise<HalfOpen> {
  await makeNamespace(kubectl, namespace);
  const tune = async (memory: string): Promise<void> => {
    const metadata = { name: "tuning", namespace };
    await kubectl.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { work_mem: memory } });
  };
  await tune("8MB");
  await ask(kubectl, namespace, { config: {}, configFrom: { name: "tuning" } });
  await untilMemory(kubectl, namespace, "8MB");
  const { names, reopened } = proxy.watches.freeze(/^\/api\/v1\/configmaps .*!=/);
  assert.equal(names.length, 1, names.join("\n"));
  const began = performance.now();
  const seconds = reopened(150_000).then(() => (performance.now() - began) / 1000);
  // it is asked for later
  seconds.catch(() => undefined);
  await tune("16MB");
  return { seconds };
}
