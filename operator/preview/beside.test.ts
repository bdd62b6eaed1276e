// While a release of the operator waits: a preview tells what the reconcile carries out at once, and what keeps waiting.
import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { asked, edit, released, turnOf } from "../../test/fakes/asked-change";
import { kept, stateOf } from "../../test/fakes/checkpoints";
import type { FakeCluster } from "../../test/fakes/ports";
import { readsOf } from "../../test/fakes/previewing";
import { stepOf } from "../../test/fakes/previewed";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import type { Desired } from "../domain/desired";
import type { PlannedStep } from "../domain/runner";
import { reconcile } from "../reconcile/reconcile";
import { declaredTemplate } from "../stack/member-template";
import type { Plan } from "./plan";
import { prepareApply, type PreparedChange, type PrepareOptions } from "./prepare";
import { previewed } from "./run";

const approves = ChangePolicy.parse({ requireApproval: ["RollingRestart", "Downtime"] });

const Template = z.looseObject({ spec: z.looseObject({}) });

/** As the former release declared members: with another time to end, and this. */
async function formerly(desired: Desired, more: object): Promise<unknown> {
  const template = Template.parse(await declaredTemplate(desired));
  return { ...template, spec: { ...template.spec, terminationGracePeriodSeconds: 7, ...more } };
}

/** Declared by the former release, while the present one waits. */
async function waiting(releases = approves, more = {}): Promise<FakeCluster> {
  const cluster = await asked({}, {});
  const desired = cluster.ups[0]?.program.desired ?? assert.fail();
  assert.ok(cluster.record !== undefined);
  cluster.record = { ...cluster.record, checkpoint: kept(stateOf(await formerly(desired, more))) };
  cluster.foresight.settings.releases = releases;
  return cluster;
}

async function prepare(cluster: FakeCluster, options: Partial<PrepareOptions> = {}): Promise<PreparedChange> {
  const { policy, releases } = cluster.foresight.settings;
  const prepared = await prepareApply(cluster.object, readsOf(cluster), {
    ...{ refresh: false, policies: { policy, releases }, ...options },
  });
  assert.ok(prepared.kind === "change", JSON.stringify(prepared));
  return prepared;
}

async function preview(prepared: PreparedChange, steps: readonly PlannedStep[] = []): Promise<Plan> {
  const found = await previewed(prepared, {
    preview: () => Promise.resolve({ kind: "succeeded", steps, harmful: [] }),
  });
  assert.ok(found.kind === "plan");
  return found;
}

const templateIn = ({ request }: PreparedChange): unknown => request.program?.memberTemplate;

test("what a preview declares is what the next run declares, and what keeps waiting is the release", async () => {
  const cluster = await waiting();
  edit(cluster, { config: { max_connections: "200" } });
  const prepared = await prepare(cluster);
  const text = JSON.stringify(templateIn(prepared));
  assert.match(text, /"terminationGracePeriodSeconds":7\b/);
  assert.match(text, /max_connections[^}]*200/);
  const { waits, notes, left } = await preview(prepared);
  assert.equal(waits, undefined);
  assert.match(left?.waits ?? "", /^by the change policy it waits for approval \(RollingRestart\)$/);
  assert.match(
    notes.join("\n"),
    /^beside it the operator's release \S+ keeps waiting for approval \(RollingRestart\)$/m,
  );
  assert.doesNotMatch(notes.join("\n"), /another version of the operator/);
  const ports = { ...released(cluster), memberTemplate: declaredTemplate };
  await reconcile(cluster.key, cluster.database, ports, turnOf);
  assert.deepEqual(templateIn(prepared), cluster.ups.at(-1)?.program.memberTemplate);
  assert.deepEqual(prepared.request.program?.desired, cluster.ups.at(-1)?.program.desired);
});

test("of a single member it is told how the release would reach those that there are then", async () => {
  const cluster = await waiting();
  edit(cluster, { replicas: 1 });
  const { left } = await preview(await prepare(cluster));
  assert.match(left?.waits ?? "", /approval \(Downtime\)/);
});

test("a release alone waits, and nothing is told beside it", async () => {
  const prepared = await prepare(await waiting());
  const end = {
    path: "spec.template.spec.terminationGracePeriodSeconds",
    kind: "change",
    before: 7,
    after: 8,
  } as const;
  const { waits, withRelease, left } = await preview(prepared, [stepOf("StatefulSet shop", "update", [end])]);
  assert.deepEqual([templateIn(prepared), withRelease, left], [undefined, undefined, undefined]);
  assert.equal(waits, "by the change policy it waits for approval (RollingRestart)");
});

const whole: readonly (readonly [string, ChangePolicy, Partial<PrepareOptions>])[] = [
  ["what the release does is let in at once", ChangePolicy.parse({ requireApproval: ["DataLoss"] }), {}],
  ["the gate asks, once all else is carried out", approves, { isWhole: true }],
  ["the platform asks nothing", noPolicy, {}],
];
for (const [what, releases, options] of whole)
  test(`it is told with the release where ${what}`, async () => {
    const cluster = await waiting(releases);
    edit(cluster, { config: { max_connections: "200" } });
    const prepared = await prepare(cluster, options);
    assert.deepEqual([templateIn(prepared), prepared.left], [undefined, undefined]);
  });

test("where members never came up it is told with the release, as that is let in", async () => {
  const cluster = await waiting();
  const job = { namespace: "team", database: "shop", name: "shop-init", component: "initialization" } as const;
  cluster.observation = {
    workload: { uid: "w", generation: 1, wanted: 3, seen: true, revision: "new" },
    members: [],
    jobs: [{ ...job, state: "running", finishedAt: undefined, createdAt: "" }],
  };
  edit(cluster, { config: { max_connections: "200" } });
  const prepared = await prepare(cluster);
  assert.deepEqual([templateIn(prepared), prepared.policies], [undefined, undefined]);
});

test("what cannot be told apart from the release waits with it, and that is said", async () => {
  const cluster = await waiting(approves, { priorityClassName: "former" });
  edit(cluster, { placement: { priorityClassName: "high" } });
  const prepared = await prepare(cluster);
  assert.equal(prepared.withRelease, "both change the same of the members' pods");
  const priority = { path: "spec.template.spec.priorityClassName", kind: "change", before: 1, after: 2 } as const;
  const { waits, notes } = await preview(prepared, [stepOf("StatefulSet shop", "update", [priority])]);
  assert.match(waits ?? "", /^by the change policy it waits for approval \(RollingRestart\)$/);
  assert.match(notes[1] ?? "", /^it waits with the operator's release \S+: both change the same of the members' pods$/);
});
