import assert from "node:assert/strict";
import test from "node:test";
import { TreeObject, treeLines } from "./children";

const object = (kind: string, name: string, owner?: string, some: Record<string, unknown> = {}): TreeObject =>
  TreeObject.parse({
    kind,
    metadata: {
      name,
      uid: `${kind}/${name}`,
      labels: some["labels"],
      ...(owner ? { ownerReferences: [{ uid: owner }] } : {}),
    },
    status: some["status"],
  });

test("children are listed under their owners, and those without one under the Database", () => {
  const lines = treeLines({ title: "Database shop", uid: "db" }, [
    object("Pod", "shop-0", "StatefulSet/shop", { labels: { role: "primary" }, status: { phase: "Running" } }),
    object("Secret", "shop-credentials"),
    object("StatefulSet", "shop", "db", { status: { replicas: 1, readyReplicas: 1 } }),
    object("Service", "shop", "db"),
  ]);
  assert.deepEqual(lines, [
    "Database shop",
    "├─ Secret shop-credentials (kept on deletion)",
    "├─ Service shop",
    "└─ StatefulSet shop (1/1 ready)",
    "   └─ Pod shop-0 (primary, Running)",
  ]);
});
