// What moves while a change waits, and edits that no turn saw.
import assert from "node:assert/strict";
import test from "node:test";
import {
  annotate,
  approval,
  asked,
  asks,
  both,
  edit,
  night,
  plan,
  restart,
  turn,
  waits,
} from "../../test/fakes/asked-change";
import { memberOf, type FakeCluster } from "../../test/fakes/ports";
import { approvalKeys } from "../../contract/approvals";

const { changedBy } = approvalKeys;

/** Digests as they are made: the number of the plan is part of them. */
function numbered(cluster: FakeCluster, primary: string): void {
  cluster.observation = { ...cluster.observation, members: [memberOf(primary, { role: "primary" })] };
  const found = {
    ...({ kind: "plan", effects: [restart], primary } as const),
    get digest(): string {
      return `${primary} ${cluster.record?.plans ?? 0}`;
    },
  };
  cluster.foresight.found = found;
}

const shownOf = async (cluster: FakeCluster): Promise<readonly [string, string, string]> => {
  const { reason = "", shown } = (await waits(cluster)).pending ?? {};
  return [shown?.digest ?? "", reason, shown?.approval?.state ?? ""];
};

test("an approval that a failover made void stays so when the former primary is back", async () => {
  const cluster = await asked(both);
  numbered(cluster, "shop-0");
  const [digest] = await shownOf(cluster);
  annotate(cluster, approval(digest));
  assert.equal((await shownOf(cluster))[2], "Accepted");
  for (const primary of ["shop-1", "shop-0"]) {
    numbered(cluster, primary);
    assert.deepEqual((await shownOf(cluster)).slice(1), ["ApprovalVoid", "Stale"], primary);
    const { previews } = cluster.foresight;
    await waits(cluster);
    assert.equal(cluster.foresight.previews, previews, "nothing moves by that");
  }
  cluster.now = night;
  assert.equal((await shownOf(cluster))[1], "ApprovalVoid");
  assert.equal(cluster.ups.length, 1);
});

test("an edit that comes to nothing leaves the approval, and is seen at once", async () => {
  const cluster = await asked(both);
  annotate(cluster, approval("plan-1"));
  await waits(cluster);
  edit(cluster, { ...both, config: { max_connections: "200" }, storageAutoGrow: { maxSize: "50Gi" } });
  const { shown } = (await waits(cluster)).pending ?? {};
  assert.deepEqual([shown?.generation, shown?.approval?.state], [3, "Accepted"]);
  cluster.now = night;
  assert.equal((await turn(cluster)).kind, "settled");
});

const unseen: readonly (readonly [string, Record<string, unknown>])[] = [
  ["while it was paused", { paused: true, config: { max_connections: "200" } }],
  ["that is refused", { config: { max_connections: "200" }, replicas: 0 }],
];
for (const [what, first] of unseen) {
  test(`who made an edit ${what} is not forgotten: the author of the next one is not the only one`, async () => {
    const cluster = await asked(asks, { ...first });
    cluster.foresight.settings.mayAuthorApprove = false;
    annotate(cluster, { [changedBy]: "uid-1 2 alice" });
    await turn(cluster);
    edit(cluster, { ...asks, config: { max_connections: "200" } });
    annotate(cluster, { ...approval("plan-1", "alice"), [changedBy]: "uid-1 3 bob" });
    const { pending } = await waits(cluster);
    assert.deepEqual([pending?.shown?.requestedBy, pending?.shown?.approval?.state], [undefined, "Author"]);
  });
}

test("an edit that needed no run does not make the author of the next one unknown", async () => {
  const stricter = { changePolicy: { requireApproval: ["RollingRestart", "Downtime", "DataLoss"] } };
  const cluster = await asked(asks, stricter);
  cluster.foresight.settings.mayAuthorApprove = false;
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.ups.length, 1);
  edit(cluster, { ...stricter, config: { max_connections: "200" } });
  annotate(cluster, { [changedBy]: "uid-1 3 bob" });
  assert.deepEqual((await waits(cluster)).pending?.shown?.requestedBy, ["bob"]);
});

test("written back, and then again, a change has the author that was not known", async () => {
  const cluster = await asked(asks);
  cluster.foresight.settings.mayAuthorApprove = false;
  assert.equal((await waits(cluster)).pending?.shown?.requestedBy, undefined);
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { ...asks, config: { max_connections: "200" } });
  annotate(cluster, { [changedBy]: "uid-1 4 bob" });
  assert.deepEqual((await waits(cluster)).pending?.shown?.requestedBy, ["bob"]);
  annotate(cluster, { ...approval("plan-1", "maria"), [changedBy]: "uid-1 4 bob" });
  assert.equal((await turn(cluster)).kind, "settled");
});

test("a policy that came without a run is not taken away by who has to be asked for that", async () => {
  const cluster = await asked({}, asks);
  cluster.foresight.found = plan("plan-1");
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, {});
  cluster.foresight.settings.mayAuthorApprove = false;
  const by = { [changedBy]: "uid-1 3 john" };
  annotate(cluster, { ...by, ...approval("plan-1", "john") });
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.shown?.requestedBy, pending?.shown?.approval?.state], [["john"], "Author"]);
});

test("an edit among many changes of a shared ConfigMap has an author as well", async () => {
  const cluster = await asked(asks, {});
  assert.equal((await turn(cluster)).kind, "settled");
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`app.parameter_${index}`, "1"]));
  assert.ok(cluster.record?.accepted !== undefined);
  cluster.record = { ...cluster.record, accepted: { ...cluster.record.accepted, config: many } };
  edit(cluster, { ...asks, replicas: 5 });
  annotate(cluster, { [changedBy]: "uid-1 3 john" });
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.shown?.requestedBy, pending?.shown?.changes.length], [["john"], 20]);
});
