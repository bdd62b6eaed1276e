// What is found of children, and what a sweep deletes of them.
import assert from "node:assert/strict";
import test from "node:test";
import { json } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import type { Keep } from "../domain/children";
import { ClusterChildren } from "./children";
import { fieldManager, renewalFieldManager } from "../../components/naming";
import { KubeClient } from "./client";

const claims = ["data-shop-0", "shop-backup", "shop-backup-staging", "of-another-client"];

for (const [keep, doomed] of [
  ["all data", ["shop-backup-staging"]],
  ["backups", ["data-shop-0", "shop-backup-staging"]],
  ["nothing", ["data-shop-0", "shop-backup", "shop-backup-staging"]],
] as const satisfies readonly (readonly [Keep, readonly string[]])[])
  test(`of volumes a deletion that keeps ${keep} takes ${doomed.join(", ")}, and no other`, async (t) => {
    const { api, client } = await connected(t);
    api.on(/^GET /, json({ items: [] }));
    api.on(/^GET .*persistentvolumeclaims\?/, json({ items: claims.map((name) => ({ metadata: { name } })) }));
    api.on(/^DELETE /, json({ kind: "Status", status: "Success" }));
    await new ClusterChildren(client).sweep("team/shop", keep);
    const deleted = api.asked.filter((line) => line.startsWith("DELETE "));
    assert.deepEqual(deleted.map((line) => /persistentvolumeclaims\/([\w-]+)/.exec(line)?.[1]).sort(), [...doomed]);
  });

/** Answers every question with the same object. */
class OneObject extends KubeClient {
  constructor(private readonly object: unknown) {
    const access = {
      server: "http://127.0.0.1:1",
      headers: () => Promise.resolve({}),
      connection: () => Promise.resolve({}),
    };
    super(access, "test");
  }
  override find(): Promise<unknown> {
    return Promise.resolve(this.object);
  }
}

const fieldsOf = (...keys: readonly string[]): unknown => ({
  "f:data": Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});

/** Which drift is found of a Secret with certificates whose fields another manager has changed since a run. */
async function driftOf(by: string, ...changed: readonly string[]): Promise<readonly string[]> {
  const stays = ["ca.crt", "tls.crt", "tls.key"].filter((key) => !changed.includes(key));
  const managedFields = [
    { manager: fieldManager, operation: "Apply", time: "2026-01-01T00:00:00Z", fieldsV1: fieldsOf(...stays) },
    { manager: renewalFieldManager, operation: "Update", time: "2026-01-02T00:00:00Z", fieldsV1: fieldsOf("tls.crt") },
    { manager: by, operation: "Update", time: "2026-01-03T00:00:00Z", fieldsV1: fieldsOf(...changed) },
  ];
  const children = new ClusterChildren(new OneObject({ metadata: { uid: "u", managedFields } }));
  const fields = new Set(["ca.crt", "tls.crt", "tls.key"].map((key) => `data.${key}`));
  const declared = { uid: "u", applied: "before", urn: "urn", fields };
  const { drift } = await children.inspect("shop/orders", new Map([["Secret orders-server-tls", declared]]));
  return drift.map(({ kind, by: changer }) => `${kind} by ${changer ?? ""}`);
}

test("a certificate that was renewed outside of a run is as it shall be; what others edit is not", async () => {
  assert.deepEqual(await driftOf(renewalFieldManager, "tls.crt", "tls.key"), []);
  assert.deepEqual(await driftOf("kubectl", "tls.crt", "tls.key"), ["edited by kubectl"]);
  assert.deepEqual(await driftOf("kubectl", "ca.crt"), ["edited by kubectl"]);
});
