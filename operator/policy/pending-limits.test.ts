// What is told of a change that waits fits into the status, whatever was asked for and by whom.
import assert from "node:assert/strict";
import test from "node:test";
import { approvalKeys } from "../../contract/approvals";
import { specOf } from "../../test/fakes/specs";
import { PendingChange, pendingLimits } from "../api/pending-change";
import type { Desired } from "../domain/desired";
import { emptyRecord } from "../domain/records";
import { withPending } from "./ledger";

const plan = { kind: "plan", digest: "plan-1", wish: "w", effects: [], primary: undefined } as const;
const desiredOf = (some: Partial<Desired>): Desired => ({
  ...{ owner: { name: "shop", namespace: "team", uid: "uid-1" }, spec: specOf(), image: "i", config: {} },
  ...{ serviceMonitors: false, keptBackups: [], ...some },
});

/** What is noted where `author` asks for `next` instead of `before`. */
function noted(before: Desired, next: Desired, author: string): ReturnType<typeof withPending>["pending"] {
  const { spec, image, config } = before;
  const metadata = { annotations: { [approvalKeys.changedBy]: `2 ${author}` }, generation: 2 };
  const record = { ...emptyRecord("uid-1"), accepted: { spec, image, config } };
  const { pending } = withPending(record, plan, { metadata, desired: next, wished: { wish: "w" } }, new Date(0));
  assert.deepEqual(PendingChange.safeParse(pending.shown).error, undefined);
  return pending;
}

test("a user name that is longer than the status takes is shown shortened, and compared whole", () => {
  const author = `system:serviceaccount:${"x".repeat(300)}`;
  const { shown, authors } = noted(desiredOf({}), desiredOf({ spec: specOf({ replicas: 5 }) }), author);
  assert.deepEqual([shown.requestedBy?.length, authors], [pendingLimits.name, [author]]);
});
