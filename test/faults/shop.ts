// The Database `shop` of a namespace, with which most tests of faults begin and end: asked for, changed, settled, deleted.
import assert from "node:assert/strict";
import { untilCounted } from "../harness/at-rest";
import { assertRolesTaken, database, untilDatabase, untilGone, type DatabaseView } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace, type Kubectl } from "../harness/kubectl";
import { untilObject } from "../harness/until";
import { runsIn, type OperatorProcess } from "../harness/operator-process";
import { pictureOf, type Picture } from "./picture";
import { assertDone } from "./stages";

/** Applies the Database `shop`: two members and `work_mem` 8MB, if `spec` does not say otherwise. */
export async function ask(kubectl: Kubectl, namespace: string, spec: Record<string, unknown> = {}): Promise<void> {
  const wanted = { replicas: 2, deletionPolicy: "Delete", config: { work_mem: "8MB" }, ...spec };
  await kubectl.apply(database("shop", namespace, wanted));
}

/** Waits until `shop` is settled: Ready as last asked, with a backup, and nothing is in progress. */
export async function untilSettled(kubectl: Kubectl, namespace: string): Promise<void> {
  const isSettled = (view: DatabaseView): void => {
    const { status, metadata } = view;
    assert.ok(status.lastBackup !== undefined && status.ready, JSON.stringify(status.conditions));
    assert.equal(status.observedGeneration, metadata.generation);
    assert.equal(status.conditions.find(({ type }) => type === "Reconciling")?.reason, "Reconciled");
    assertRolesTaken(view);
  };
  await untilDatabase(kubectl, [namespace, "shop"], isSettled, minutes(2));
  await untilCounted(kubectl, [namespace, "shop"]);
}

/** A Database in a namespace of its own, which is settled. */
export async function make(kubectl: Kubectl, namespace: string, spec: Record<string, unknown> = {}): Promise<Picture> {
  await makeNamespace(kubectl, namespace);
  await ask(kubectl, namespace, spec);
  await untilSettled(kubectl, namespace);
  return pictureOf(kubectl, namespace);
}

/** Asks for another `work_mem`, which restarts nothing. */
export async function askForMemory(kubectl: Kubectl, namespace: string, memory: string): Promise<void> {
  await ask(kubectl, namespace, { config: { work_mem: memory } });
}

/** Waits until the members know that `work_mem`, and the Database is settled. */
export async function untilMemory(kubectl: Kubectl, namespace: string, memory: string): Promise<void> {
  const isTold = (object: unknown): void => {
    assert.equal(/\bwork_mem[^0-9]+(\d+MB)/.exec(JSON.stringify(object))?.[1], memory);
  };
  await untilObject(kubectl, { kind: "configmap", name: "shop-config", namespace }, isTold, minutes(2));
  await untilSettled(kubectl, namespace);
}

/** The same members, claims and passwords as before. */
export function assertSameData(now: Picture, then: Picture): void {
  assert.deepEqual(now.uids, then.uids, "members or claims are others");
  assert.deepEqual(now.secrets, then.secrets, "passwords are others");
  assert.equal(now.templates, then.templates, "the members' pods have another template");
}

/** `kubectl delete`, without waiting. */
export async function askForDeletion(kubectl: Kubectl, namespace: string): Promise<void> {
  await kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
}

/** Waits until the Database is gone, and all that it had. */
export async function untilNothingIsLeft(kubectl: Kubectl, namespace: string): Promise<void> {
  await untilGone(kubectl, [namespace, "shop"], minutes(2));
  await eventually(async () => {
    await assertDone(kubectl, "delete", namespace);
    assert.deepEqual((await pictureOf(kubectl, namespace)).objects, {});
  });
}

/** How many runs of its stack succeeded so far. */
export const runsOf = (operator: OperatorProcess, namespace: string): number => runsIn(operator, `${namespace}/shop`);
