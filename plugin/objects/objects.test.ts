// What verbs read of objects of which not all has been written yet.
import assert from "node:assert/strict";
import test from "node:test";
import { approvalKeys } from "../../contract/approvals";
import { backupIn } from "./backup";
import { approvedIn } from "./pending";

test("a backup of which nothing is said yet is one", () => {
  const object = { metadata: { name: "first", namespace: "shop" }, spec: { database: "orders" } };
  assert.deepEqual([backupIn(object)?.name, backupIn(object)?.database], ["first", "orders"]);
});

test("an approval is seen whether or not anything waits", () => {
  const metadata = { annotations: { [approvalKeys.approve]: "7f3c" } };
  for (const object of [{ metadata }, { metadata, status: {} }]) assert.deepEqual(approvedIn(object), ["7f3c"]);
});
