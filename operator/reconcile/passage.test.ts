// By what a change waits, or why it does not: for the reconcile and for previews alike.
import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { FakeCluster } from "../../test/fakes/ports";
import { databaseOf, specOf } from "../../test/fakes/specs";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import type { Database } from "../api/object";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import { wishOf } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { passageOf, type Passage } from "./passage";

const asks = ChangePolicy.parse({ requireApproval: ["RollingRestart"] });
const both = ChangePolicy.parse({ ...asks, windows: [{ schedule: "0 2 29 2 *", duration: "1h" }] });
const { ports } = new FakeCluster();
const changes = { ...ports.changes, policy: asks, releases: both };
const at = { ...ports, changes };
const database = databaseOf();
const acceptedOf = (fields: Record<string, unknown>): Accepted => ({ spec: specOf(fields), image: "i", config: {} });
const record: StackRecord = {
  ...{ checkpoint: kept("state"), digest: "d", uid: "uid-1", version: "1", workload: undefined, declared: undefined },
  release: "release-1",
  accepted: acceptedOf({ changePolicy: { requireApproval: ["DataLoss"] } }),
  history: [{ revision: 1, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "", by: "" }],
};

interface Some {
  readonly record?: StackRecord | undefined;
  readonly database?: Database;
  readonly accepted?: Accepted;
  readonly hasComeUp?: boolean;
}

const desiredOf = (accepted: Accepted): Desired => ({
  ...{ owner: { name: "shop", namespace: "team", uid: "uid-1" }, serviceMonitors: false, keptBackups: [] },
  ...accepted,
});
const other = acceptedOf({ replicas: 7 });

const passage = (some: Some, by: Partial<typeof at> = {}): Promise<Passage> => {
  const { metadata, spec } = some.database ?? database;
  return passageOf(
    {
      ...{ record: "record" in some ? some.record : record, metadata, policy: spec.changePolicy },
      ...{ desired: desiredOf(some.accepted ?? other), hasComeUp: () => some.hasComeUp ?? true },
    },
    { ...at, ...by },
  );
};
const policiesOf = async (some: Some, by: Partial<typeof at> = {}): Promise<readonly unknown[]> => {
  const found = await passage(some, by);
  assert.ok(found.kind === "asks", found.kind);
  return found.policies;
};
const agreedTo = (accepted: Accepted): string => wishOf(desiredOf(accepted), ports.digest);

test("the policy of what was agreed to counts beside the one that is asked for, and the platform's where there is none", async () => {
  assert.deepEqual(await policiesOf({}), [ChangePolicy.parse({ requireApproval: ["DataLoss"] }), asks]);
  assert.deepEqual(await policiesOf({ record: { ...record, agreed: { wish: "w" } } }), [asks, asks]);
});

test("what another release does waits by the platform's policy for that, where the Database has none of its own", async () => {
  const next = { release: "release-2" };
  const agreed = { ...record, agreed: { wish: "w" } };
  assert.deepEqual(await policiesOf({ record: agreed }, next), [asks, asks, both]);
  assert.deepEqual(await policiesOf({ record: agreed, database: databaseOf({ changePolicy: {} }) }, next), [
    asks,
    noPolicy,
  ]);
  const idle = { ...next, changes: { ...changes, policy: noPolicy } };
  const before = { ...record, accepted: acceptedOf({}) };
  assert.equal((await passage({ record: before, hasComeUp: false }, idle)).kind, "free");
});

const [approved, before] = [acceptedOf({ replicas: 5 }), acceptedOf({ replicas: 3 })];
const agreed = { wish: agreedTo(approved), accepted: approved, former: { wish: agreedTo(before), accepted: before } };
const elsewhere = { wish: "approved", accepted: approved, former: { wish: "before", accepted: before } };
const passing: readonly (readonly [string, Passage["kind"], Some])[] = [
  ["a creation", "new", { record: undefined }],
  ["one that has not come through", "new", { record: { ...record, history: [] } }],
  ["another Database of the name", "new", { record: { ...record, uid: "uid-2" } }],
  ["what was agreed to", "free", { record: { ...record, agreed }, accepted: approved }],
  ["the way back from it", "free", { record: { ...record, agreed }, accepted: before }],
  ["the way back under another release", "free", { record: { ...record, agreed: elsewhere }, accepted: before }],
  [
    "what is half done under another release",
    "free",
    { record: { ...record, agreed: elsewhere, accepted: undefined }, accepted: approved },
  ],
];
for (const [what, kind, some] of passing)
  test(`it does not wait: ${what}`, async () => {
    assert.equal((await passage(some)).kind, kind);
  });

test("a release of the operator waits, and so does a policy that is looser", async () => {
  assert.equal((await passage({ record: { ...record, agreed: elsewhere }, accepted: approved })).kind, "asks");
  const looser = databaseOf({ changePolicy: {} });
  assert.equal((await passage({ record: { ...record, agreed }, database: looser, accepted: approved })).kind, "asks");
});

const released = { release: "release-2", changes: { ...changes, policy: noPolicy } };
const own = acceptedOf({});
const running = { ...record, accepted: own, agreed: { wish: "w", accepted: own } };
const edits: readonly (readonly [string, string | undefined, Some, Partial<typeof at>])[] = [
  ["a release alone", undefined, { accepted: own }, {}],
  ["under another policy", "a policy for all changes is in force, too", {}, { changes }],
  ["a major version", "a major upgrade is in progress, or begins", { accepted: acceptedOf({ version: "18.1" }) }, {}],
  ["without a state", "the stored state cannot be read", {}, { memberTemplate: () => Promise.resolve({}) }],
];
for (const [what, why, some, by] of edits)
  test(`what is not carried out beside a release says why: ${what}`, async () => {
    const found = await passage({ record: running, ...some }, { ...released, ...by });
    assert.ok(found.kind === "asks", found.kind);
    assert.equal(found.withRelease, why);
  });
