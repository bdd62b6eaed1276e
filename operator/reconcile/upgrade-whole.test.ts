// A major upgrade from a version that is asked for to the last word about it, with a cluster that does all that is declared.
import assert from "node:assert/strict";
import test from "node:test";
import { turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { from, phaseOf, to } from "../../test/fakes/upgrading";

/** A Database that runs the former version. */
async function running(): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject({ version: from, replicas: 3 }));
  cluster.catalogue = {
    postgresql: {
      [from]: { image: "server:15" },
      [to]: { image: "server:17", upgrade: { image: "upgrade:17", from } },
    },
  };
  await turn(cluster);
  cluster.ups.length = 0;
  return cluster;
}

const declaredIn = ({ record }: FakeCluster): string | undefined => record?.declared?.version;

const majorOf = (version: string): string => version.split(".")[0] ?? "";

/** What the last run declared has come true. */
function comeTrue(cluster: FakeCluster): void {
  const desired = cluster.ups.at(-1)?.program.desired;
  assert.ok(desired);
  const { members = "all", job, removesOthers = false } = desired.upgrade ?? {};
  const count = { all: 3, one: 1, none: 0 }[members];
  const major = majorOf(desired.spec.version);
  const keptFiles = { major, kept: removesOthers ? [] : ["15"] };
  const found = Array.from({ length: count }, (_, n) => ({
    ...memberOf(`shop-${n}`, { role: n === 0 ? "primary" : "replica", keptFiles }),
    resourceVersion: "1",
  }));
  cluster.membersNow = {
    workload: { uid: "uid", generation: 1, seen: true, revision: "new", wanted: count },
    members: found,
  };
  cluster.lastLook.finalBackup = "succeeded";
  cluster.upgradeLook = {
    occupants: count,
    initialized: desired.image,
    ...(job && {
      job: { state: "succeeded", report: { upgrade: "Converted", seconds: 3, conversionSeconds: 3, message: "done" } },
    }),
  };
}

/** The phases that it goes through until nothing changes any more. */
async function course(cluster: FakeCluster): Promise<string[]> {
  const phases: string[] = [];
  for (let turns = 0; turns < 40; turns++) {
    await turn(cluster);
    if (phases.at(-1) !== phaseOf(cluster)) phases.push(phaseOf(cluster));
    comeTrue(cluster);
  }
  return phases;
}

const ask = (cluster: FakeCluster, version: string, confirmed?: string): void => {
  const upgrade = confirmed === undefined ? {} : { upgrade: { confirmed } };
  cluster.object = databaseObject({ version, replicas: 3, ...upgrade }, { generation: 2 });
};

test("there, confirmed: each phase in its order, and nothing is left of it on record", async () => {
  const cluster = await running();
  ask(cluster, to);
  const there = ["Rehearsing", "BackingUp", "Gathering", "Stopping", "Converting", "Starting", "AwaitingConfirmation"];
  assert.deepEqual(await course(cluster), there);
  assert.equal(declaredIn(cluster), to);
  ask(cluster, to, to);
  assert.deepEqual(await course(cluster), ["Removing", "none"]);
  assert.equal(cluster.ups.at(-1)?.program.desired.upgrade, undefined);
});

test("there, back, confirmed, and there once more", async () => {
  const cluster = await running();
  ask(cluster, to);
  await course(cluster);
  ask(cluster, from);
  assert.deepEqual(await course(cluster), ["Stopping", "Converting", "Starting", "AwaitingConfirmation"]);
  assert.equal(declaredIn(cluster), from);
  ask(cluster, to);
  assert.deepEqual(await course(cluster), ["AwaitingConfirmation"]);
  ask(cluster, from, from);
  assert.deepEqual(await course(cluster), ["Removing", "none"]);
  ask(cluster, to, from);
  assert.equal((await course(cluster)).at(-1), "AwaitingConfirmation");
  assert.equal(declaredIn(cluster), to);
});

test("what cannot be carried over is refused, and the former version is kept up", async () => {
  const cluster = await running();
  cluster.catalogue = { postgresql: { [from]: { image: "server:15" }, [to]: { image: "server:17" } } };
  ask(cluster, to);
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "UpgradeUnsupported", JSON.stringify(outcome));
  assert.deepEqual([phaseOf(cluster), cluster.ups.length], ["none", 0]);
});
