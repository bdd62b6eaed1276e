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
  const metadata = { annotations: { [approvalKeys.changedBy]: `uid-1 2 ${author}` }, generation: 2, uid: "uid-1" };
  const record = {
    ...emptyRecord("uid-1"),
    accepted: { spec, image, config },
    release: "1",
    seen: { uid: "uid-1", generation: 1 },
  };
  const asked = { metadata, desired: next, wished: { wish: "w" }, release: "1" };
  const { pending } = withPending(record, plan, asked, new Date(0));
  assert.deepEqual(PendingChange.safeParse(pending.shown).error, undefined);
  return pending;
}

test("a user name that is longer than the status takes is shown shortened, and compared whole", () => {
  const author = `system:serviceaccount:${"x".repeat(600)}`;
  const { shown, authors } = noted(desiredOf({}), desiredOf({ spec: specOf({ replicas: 5 }) }), author);
  assert.deepEqual([shown.requestedBy?.map(({ length }) => length), authors], [[pendingLimits.user], [author]]);
});

const parameters = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`parameter_${number}`, value]));

test("parameters of a shared ConfigMap that have moved hide neither an edit nor its author", () => {
  const before = desiredOf({ spec: specOf({ replicas: 3 }), config: parameters(40, "1") });
  const next = desiredOf({ spec: specOf({ replicas: 1 }), image: "other", config: parameters(40, "2") });
  const { shown, authors } = noted(before, next, "john");
  assert.deepEqual([authors, shown.requestedBy], [["john"], ["john"]]);
  const paths = shown.changes.map(({ path }) => path);
  assert.deepEqual(paths.slice(0, 3), ["spec.replicas", "image", "config.parameter_0"]);
  assert.deepEqual([paths.length, shown.changes.at(-1)], [20, { path: "others", after: "23 more" }]);
  assert.deepEqual(noted(before, { ...next, spec: before.spec }, "john").authors, [], "nor do they make one up");
});
