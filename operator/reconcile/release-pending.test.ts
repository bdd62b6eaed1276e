// What a Database says while nothing but a release of the operator waits, and which of them need not wait at all.
import assert from "node:assert/strict";
import test from "node:test";
import { edit, plan, released, restart } from "../../test/fakes/asked-change";
import { memberOf, type FakeCluster } from "../../test/fakes/ports";
import { approves, meeting, mustWait, under } from "../../test/fakes/released";
import { companionFieldManager } from "../../components/naming";
import { ChangePolicy } from "../api/change-policy";
import type { Condition } from "../api/status";
import type { JobRun, Workload } from "../domain/members";
import { createController } from "./controller";

const workload: Workload = { uid: "uid-2", generation: 1, wanted: 1, revision: "new", seen: true };
const initialized: JobRun = {
  ...{ name: "shop-init", database: "shop", namespace: "team", component: "initialization", state: "succeeded" },
  ...{ createdAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:01:00Z" },
};
const hooks = { onError: (_key: string, error: unknown) => assert.fail(String(error)), onOutcome: () => undefined };

function serving(cluster: FakeCluster): void {
  cluster.observation = { workload, members: [memberOf("shop-0", { role: "primary" })], jobs: [initialized] };
}

async function saidBy(cluster: FakeCluster): Promise<(type: string) => Partial<Condition>> {
  await createController(released(cluster), hooks).work(cluster.key, "run");
  const { conditions = [] } = cluster.object?.status ?? {};
  return (type) => conditions.find((one) => one.type === type) ?? {};
}

test("a release that waits is no progress of the Database, and an edit that waits with it is", async () => {
  const cluster = await meeting({ config: { max_connections: "100" } });
  serving(cluster);
  const alone = await saidBy(cluster);
  assert.deepEqual([alone("ChangePending").status, alone("Reconciling").status], ["True", "False"]);
  assert.deepEqual([alone("Ready").status, alone("Ready").observedGeneration], ["True", 2]);
  cluster.foresight.settings.policy = approves;
  edit(cluster, { config: { max_connections: "200" } });
  cluster.foresight.found = plan("plan-2", restart);
  const both = await saidBy(cluster);
  assert.deepEqual([both("ChangePending").status, both("Reconciling").status], ["True", "True"]);
});

test("the message says how who runs the Database lets the release in, where that is in its hands", async () => {
  const cluster = await meeting();
  assert.match(
    mustWait(await under(cluster)).message,
    /; it is the operator's release that is asked about: spec.changePolicy: \{\} lets it in/,
  );
  const own = await meeting({ changePolicy: approves });
  assert.doesNotMatch(mustWait(await under(own)).message, /lets it in/);
  const platforms = await meeting();
  platforms.foresight.settings.policy = ChangePolicy.parse({ requireApproval: ["RollingRestart"] });
  assert.doesNotMatch(mustWait(await under(platforms)).message, /lets it in/);
  assert.ok(cluster.object !== undefined);
  const managedFields = [{ manager: companionFieldManager, operation: "Apply", fieldsV1: { "f:spec": {} } }];
  cluster.object.metadata = { ...cluster.object.metadata, managedFields };
  assert.doesNotMatch(mustWait(await under(cluster)).message, /lets it in/);
});

test("one whose members never came up gets the release that may mend it", async () => {
  const cluster = await meeting();
  const failing = memberOf("shop-0", { ready: false, served: false, role: undefined });
  cluster.observation = { workload, members: [failing], jobs: [{ ...initialized, state: "running" }] };
  await under(cluster);
  assert.deepEqual([cluster.ups.length, cluster.record?.release], [2, "release-2"]);
});

test("one that is down and had come up waits", async () => {
  const cluster = await meeting();
  const failing = memberOf("shop-0", { ready: false, served: false, role: undefined });
  cluster.observation = { workload, members: [failing], jobs: [initialized] };
  mustWait(await under(cluster));
});

test("one that had come up waits although its only member and its init Job are others by now", async () => {
  const cluster = await meeting();
  const replaced = memberOf("shop-0", { ready: false, served: false, role: undefined });
  cluster.observation = { workload, members: [replaced], jobs: [{ ...initialized, state: "running" }] };
  assert.ok(cluster.object !== undefined);
  const condition = { type: "Initialized", status: "True", reason: "InitializationSucceeded", message: "" } as const;
  const lastTransitionTime = "2026-08-01T00:00:00Z";
  cluster.object = { ...cluster.object, status: { conditions: [{ ...condition, lastTransitionTime }] } };
  mustWait(await under(cluster));
});

test("where it is not known what was agreed to, the release comes in: nothing could be kept up meanwhile", async () => {
  const cluster = await meeting();
  assert.ok(cluster.record !== undefined);
  cluster.record = { ...cluster.record, accepted: undefined, agreed: undefined, release: undefined };
  assert.equal((await under(cluster)).kind, "settled");
  assert.equal(cluster.record.release, "release-2");
});

test("a spec that is refused says that a release waits beside it", async () => {
  const cluster = await meeting();
  edit(cluster, { replicas: 0 });
  const refused = await under(cluster);
  assert.ok(refused.kind === "stalled" && refused.reason === "SpecInvalid");
  assert.match(refused.message, /; another release of the operator waits by the change policy meanwhile/);
});
