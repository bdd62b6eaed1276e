// What is asked of a Database in the crash matrix, one thing after the other, and when each is done.
import assert from "node:assert/strict";
import { assertRolesTaken, database, readDatabase } from "../harness/database";
import type { Kubectl } from "../harness/kubectl";
import { operatorNamespace } from "./picture";

export const stages = ["create", "change", "scale", "delete"] as const;
export type Stage = (typeof stages)[number];

const specs: Readonly<Record<Exclude<Stage, "delete">, Record<string, unknown>>> = {
  create: { replicas: 1, config: { work_mem: "8MB" } },
  change: { replicas: 2, config: { work_mem: "16MB" } },
  scale: { replicas: 1, config: { work_mem: "16MB" } },
};

/** Asks for the stage as a person does. */
export async function ask(kubectl: Kubectl, stage: Stage, namespace: string): Promise<void> {
  if (stage === "delete") await kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
  else await kubectl.apply(database("shop", namespace, { deletionPolicy: "Delete", ...specs[stage] }));
}

/** Throws while the stage is not done. */
export async function assertDone(kubectl: Kubectl, stage: Stage, namespace: string): Promise<void> {
  if (stage === "delete") return assertGone(kubectl, namespace);
  const view = await readDatabase(kubectl, "shop", namespace);
  const { metadata, status } = view;
  const found = status.conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
  const wanted = ["Ready True AllReplicasReady", "Reconciling False Reconciled", "BackupReady True BackupSucceeded"];
  for (const condition of wanted) assert.ok(found.includes(condition), `${condition} is not among ${found.join(", ")}`);
  assert.equal(status.observedGeneration, metadata.generation);
  assert.equal(status.replicas, specs[stage]["replicas"]);
  assertRolesTaken(view);
}

async function assertGone(kubectl: Kubectl, namespace: string): Promise<void> {
  assert.equal(await kubectl.find("database", "shop", namespace), undefined);
  const secrets = await kubectl.names("secret", operatorNamespace);
  assert.deepEqual(
    secrets.filter((name) => name.includes(`${namespace}.`)),
    [],
  );
  // what Kubernetes still has to collect
  assert.deepEqual(await kubectl.names("pod,statefulset,pvc,job", namespace), []);
}
