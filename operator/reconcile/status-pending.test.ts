// What a Database says while a change waits, and once none does any more.
import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { approvalKeys } from "../../contract/approvals";
import { DatabaseStatus } from "../api/status";
import type { Condition } from "../api/status";
import { createController, type Controller } from "./controller";

const policy = {
  changePolicy: { requireApproval: ["RollingRestart"], windows: [{ schedule: "0 2 * * SUN", duration: "2h" }] },
};
const hooks = {
  onError: (_key: string, error: unknown): void => {
    throw error;
  },
  onOutcome: () => undefined,
};

interface Waiting {
  readonly cluster: FakeCluster;
  readonly work: Controller["work"];
}

async function waiting(): Promise<Waiting> {
  const cluster = new FakeCluster(databaseObject(policy));
  cluster.now = new Date("2026-01-07T12:00:00Z");
  const { work } = createController(cluster.ports, hooks);
  await work(cluster.key, "run");
  const restart = { effect: "RollingRestart", members: ["shop-0"], message: "all members restart" } as const;
  cluster.foresight.found = { kind: "plan", digest: "plan-1", effects: [restart], primary: undefined };
  const { status } = cluster.object ?? {};
  const metadata = {
    generation: 2,
    finalizers: cluster.finalizers,
    annotations: { [approvalKeys.changedBy]: "uid-1 2 john" },
  };
  cluster.object = { ...databaseObject({ ...policy, replicas: 5 }, metadata), ...(status && { status }) };
  return { cluster, work };
}

const conditionIn = ({ object }: FakeCluster, type: string): Partial<Condition> =>
  object?.status?.conditions?.find((condition) => condition.type === type) ?? {};

test("a change that waits is in progress, neither failed nor ready, and has everything in the status that an approver needs", async () => {
  const { cluster, work } = await waiting();
  assert.deepEqual(await work(cluster.key, "look"), { kind: "run" });
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 3_600_000 });
  const { status } = cluster.object ?? {};
  assert.deepEqual(DatabaseStatus.parse(status), status, "it is what the custom resource takes");
  assert.deepEqual(status?.pendingChange, {
    ...{
      digest: "plan-1",
      effect: "RollingRestart",
      since: "2026-01-07T12:00:00Z",
      generation: 2,
      requestedBy: ["john"],
    },
    ...{
      waitsFor: ["Approval", "Window"],
      windowOpensAt: "2026-01-11T02:00:00Z",
      approveBefore: "2026-02-06T12:00:00Z",
    },
    changes: [{ path: "spec.replicas", before: "3", after: "5" }],
    consequences: [{ effect: "RollingRestart", members: ["shop-0"], message: "all members restart" }],
  });
  const of = (type: string): unknown[] => [conditionIn(cluster, type).status, conditionIn(cluster, type).reason];
  assert.deepEqual(of("ChangePending"), ["True", "AwaitingApproval"]);
  assert.deepEqual(of("Reconciling"), ["True", "ChangePending"]);
  assert.deepEqual(of("Stalled"), ["False", "NotStalled"]);
  assert.equal(conditionIn(cluster, "Ready").observedGeneration, 1, "who waits for Ready waits for the change");
  assert.notEqual(status.phase, "Failed");
  assert.match(
    conditionIn(cluster, "ChangePending").message ?? "",
    /^a change waits: spec.replicas 3 → 5; it needs approval \(RollingRestart\): kubectl annotate/,
  );
});

test("each turn that a change that waits takes is one event", async () => {
  const { cluster, work } = await waiting();
  const told = (): unknown[] =>
    cluster.events
      .splice(0)
      .flatMap(({ type, reason }) => (/Approval|Window|Pending/.test(reason) ? [`${type} ${reason}`] : []));
  await work(cluster.key, "run");
  await work(cluster.key, "run");
  assert.deepEqual(told(), ["Normal AwaitingApproval"]);
  assert.ok(cluster.object !== undefined);
  const approve = (digest: string): void => {
    assert.ok(cluster.object !== undefined);
    const annotations = { [approvalKeys.approve]: digest, [approvalKeys.by]: "maria" };
    cluster.object.metadata = { ...cluster.object.metadata, annotations };
  };
  approve("typo");
  await work(cluster.key, "run");
  assert.deepEqual(told(), ["Warning ApprovalVoid"]);
  approve("plan-1");
  await work(cluster.key, "run");
  assert.deepEqual(told(), ["Normal AwaitingWindow"]);
  cluster.now = new Date("2026-01-11T02:00:00Z");
  await work(cluster.key, "run");
  assert.equal(cluster.object.status?.pendingChange, undefined);
  assert.deepEqual(
    [conditionIn(cluster, "ChangePending").status, conditionIn(cluster, "ChangePending").reason],
    ["False", "NoChangePending"],
  );
});

test("a Database of which no change ever waited says nothing of it", async () => {
  const cluster = new FakeCluster(databaseObject());
  await createController(cluster.ports, hooks).work(cluster.key, "run");
  assert.deepEqual(conditionIn(cluster, "ChangePending"), {});
});

test("what is done meanwhile is looked at again, and the window as well, whichever comes first", async () => {
  const { cluster, work } = await waiting();
  cluster.now = new Date("2026-01-11T01:59:50Z");
  const workload = { uid: "w", generation: 1, wanted: 2, seen: true, revision: "new" };
  const members = [memberOf("shop-0", { role: "primary" }), memberOf("shop-1", { ready: false })];
  cluster.observation = { workload, members: members.map((member) => ({ ...member, revision: "old" })), jobs: [] };
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 10_000 });
  cluster.now = new Date("2026-01-11T01:00:00Z");
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 30_000 }, "members that restart");
});

test("a repair that fails while a change waits is tried again, and told", async () => {
  const { cluster, work } = await waiting();
  await work(cluster.key, "run");
  cluster.keptBackups = ["shop-20260101T000000Z"];
  cluster.results = [{ kind: "failed", checkpoint: undefined, problem: { message: "quota", resource: undefined } }];
  assert.deepEqual(await work(cluster.key, "run"), { kind: "retry" });
  assert.equal(conditionIn(cluster, "Reconciling").reason, "RunFailed");
  assert.notEqual(cluster.object?.status?.pendingChange, undefined);
});
