import assert from "node:assert/strict";
import test from "node:test";
import { fakeCluster, withSpec, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";

interface Asked extends Ended {
  readonly created: readonly unknown[];
}

async function backup(line: string, fake: Partial<FakeCluster> = {}): Promise<Asked> {
  const created: unknown[] = [];
  const cluster = fakeCluster({ objects: [orders], created: (body) => created.push(body), ...fake });
  return { ...(await runPlugin(line, { cluster })), created };
}

const asked = (keep: boolean): unknown => ({
  ...{ apiVersion: "example.com/v1", kind: "DatabaseBackup" },
  metadata: { name: "orders-20261127-150000", namespace: "shop" },
  spec: { database: "orders", keep },
});

test("a backup is asked for by an object, which is named", async () => {
  const { code, out, created } = await backup("backup orders");
  assert.equal(
    out,
    `shop/orders: a backup is asked for: orders-20261127-150000
Next  kubectl database-operator backups orders -n shop
      kubectl wait dbb/orders-20261127-150000 -n shop --for=jsonpath='{.status.completedAt}' --timeout=6h
`,
  );
  assert.deepEqual([code, created], [0, [asked(false)]]);
});

test("one that is to stay says so", async () => {
  const { out, created } = await backup("backup orders --keep");
  assert.match(out, /, and is kept beyond the retention\n/);
  assert.deepEqual(created, [asked(true)]);
});

const off = withSpec(orders, { backup: { enabled: false } });
const ending: Stored = { ...orders, metadata: { ...orders.metadata, deletionTimestamp: "2026-11-27T14:00:00Z" } };
const refused: Readonly<Record<string, readonly [line: string, fake: Partial<FakeCluster>, said: RegExp]>> = {
  "backups are off": ["backup orders", { objects: [off] }, /backups of orders are off/],
  "it is being deleted": ["backup orders", { objects: [ending] }, /is being deleted/],
  "there is none of the name": ["backup order", {}, /there is no Database "order" .*\n {2}did you mean orders\?/],
  "the right is missing": [
    "backup orders",
    { withoutVerbs: ["create"] },
    /you may not create databasebackups\.example\.com in namespace shop\n {2}the role edit is enough.*\n.*--clusterrole=edit --user=jane/,
  ],
};
for (const [what, [line, fake, said]] of Object.entries(refused)) {
  test(`nothing is asked for where ${what}`, async () => {
    const { code, err, created } = await backup(line, fake);
    assert.match(err, said);
    assert.deepEqual([code, created], [2, []]);
  });
}
