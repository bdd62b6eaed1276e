import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { FakeCluster } from "../../test/fakes/ports";
import { databaseOf, specOf } from "../../test/fakes/specs";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import type { Consequence } from "../consequences/consequence";
import type { Accepted } from "../domain/accepted";
import type { StackRecord } from "../domain/records";
import { wishNow } from "../reconcile/accepted";
import { policiesFor, policyNote } from "./policy-note";

const restart: Consequence = { effect: "RollingRestart", members: ["shop-0"], message: "it restarts" };
const asks = ChangePolicy.parse({ requireApproval: ["RollingRestart"] });
const both = ChangePolicy.parse({ ...asks, windows: [{ schedule: "0 2 29 2 *", duration: "1h" }] });
const now = new Date("2026-01-07T12:00:00Z");

const rows: readonly (readonly [
  string,
  Parameters<typeof policyNote>[0],
  readonly Consequence[],
  string | undefined,
])[] = [
  ["a creation", undefined, [restart], undefined],
  ["no policy", [noPolicy, noPolicy], [restart], undefined],
  ["nothing that asks", [asks, asks], [], undefined],
  ["a restart", [asks, asks], [restart], "by the change policy it waits for approval (RollingRestart)"],
  [
    "both",
    [both, both],
    [restart],
    "by the change policy it waits for approval (RollingRestart) and a window (RollingRestart)",
  ],
  ["a policy that goes", [asks, noPolicy], [], "by the change policy it waits for approval (a looser policy)"],
];
for (const [what, policies, consequences, expected] of rows)
  test(`what a preview says of waiting: ${what}`, () => {
    assert.equal(policyNote(policies, consequences, now), expected);
  });

const { ports } = new FakeCluster();
const changes = { policy: asks, releases: both };
const at = { world: ports.world, digest: ports.digest, release: "release-1", changes };
const database = databaseOf();
const acceptedOf = (fields: Record<string, unknown>): Accepted => ({ spec: specOf(fields), image: "i", config: {} });
const record: StackRecord = {
  ...{ checkpoint: kept("state"), digest: "d", uid: "uid-1", version: "1", workload: undefined, declared: undefined },
  release: "release-1",
  accepted: acceptedOf({ changePolicy: { requireApproval: ["DataLoss"] } }),
  history: [{ revision: 1, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "", by: "" }],
};

test("the policy of what was agreed to counts beside the one that is asked for, and the platform's where there is none", () => {
  const [inForce, wanted] = policiesFor(record, database, "other", at) ?? [];
  assert.deepEqual([inForce?.requireApproval, wanted], [["DataLoss"], asks]);
  assert.deepEqual(policiesFor({ ...record, agreed: { wish: "w" } }, database, "other", at), [asks, asks]);
});

test("what another release does waits by the platform's policy for that, where the Database has none of its own", () => {
  const next = { ...at, release: "release-2" };
  assert.deepEqual(policiesFor({ ...record, agreed: { wish: "w" } }, database, "other", next), [asks, asks, both]);
  const own = databaseOf({ changePolicy: {} });
  assert.deepEqual(policiesFor({ ...record, agreed: { wish: "w" } }, own, "other", next), [asks, noPolicy]);
});

const [approved, before] = [acceptedOf({ replicas: 5 }), acceptedOf({ replicas: 3 })];
const wishFor = (accepted: Accepted): string => wishNow(accepted, database.metadata, ports) ?? "";
const agreed = { wish: "approved", accepted: approved, former: { wish: "before", accepted: before } };
const passing: readonly (readonly [string, StackRecord | undefined, string])[] = [
  ["a creation", undefined, "w"],
  ["one that has not come through", { ...record, history: [] }, "w"],
  ["another Database of the name", { ...record, uid: "uid-2" }, "w"],
  ["what was agreed to", { ...record, agreed: { wish: "w" } }, "w"],
  ["the way back from it", { ...record, agreed }, "before"],
  ["the way back under another release", { ...record, agreed }, wishFor(before)],
  ["what is half done under another release", { ...record, agreed, accepted: undefined }, wishFor(approved)],
];
for (const [what, found, wish] of passing)
  test(`a preview does not say of ${what} that it waits`, () => {
    assert.equal(policiesFor(found, database, wish, at), undefined);
  });

test("it says so of a release of the operator, and of a policy that is looser", () => {
  assert.notEqual(policiesFor({ ...record, agreed }, database, wishFor(approved), at), undefined);
  const looser = databaseOf({ changePolicy: {} });
  assert.notEqual(policiesFor({ ...record, agreed: { wish: "w" } }, looser, "w", at), undefined);
});
