import assert from "node:assert/strict";
import test from "node:test";
import { ClusterObjects } from "./cluster-objects";

const settings = {
  namespace: "shop",
  database: "orders",
  labels: { database: "database", role: "role", primary: "primary", replica: "replica" },
};

function objectsWith(answer: unknown): { asked: unknown[]; objects: ClusterObjects } {
  const asked: unknown[] = [];
  const client = {
    get: (path: string) => {
      asked.push(path);
      return Promise.resolve(answer);
    },
    patch: (path: string, change: unknown) => {
      asked.push(path, change);
      return Promise.resolve({});
    },
  };
  return { asked, objects: new ClusterObjects(client, settings) };
}

test("who leads stands on Patroni's ConfigMap", async () => {
  const annotations = { leader: "orders-0", renewTime: "2026-11-24T10:00:00Z", ttl: "20" };
  const { asked, objects } = objectsWith({ metadata: { annotations } });
  assert.deepEqual(await objects.lease(), { leader: "orders-0", renewed: "2026-11-24T10:00:00Z" });
  assert.deepEqual(asked, ["/api/v1/namespaces/shop/configmaps/orders-leader"]);
  const free = objectsWith({ metadata: {} }).objects;
  assert.deepEqual(await free.lease(), { leader: undefined, renewed: undefined });
});

test("pods are found by the labels that Services select by", async () => {
  const { asked, objects } = objectsWith({ items: [{ metadata: { name: "orders-1", resourceVersion: "9" } }] });
  assert.deepEqual(await objects.labelledPrimary(), [{ name: "orders-1", version: "9" }]);
  assert.deepEqual(asked, ["/api/v1/namespaces/shop/pods?labelSelector=database%3Dorders%2Crole%3Dprimary"]);
});

test("a pod is labelled as a replica only as it was seen", async () => {
  const { asked, objects } = objectsWith({});
  await objects.depose({ name: "orders-1", version: "9" });
  assert.deepEqual(asked, [
    "/api/v1/namespaces/shop/pods/orders-1",
    { metadata: { resourceVersion: "9", labels: { role: "replica" } } },
  ]);
});
