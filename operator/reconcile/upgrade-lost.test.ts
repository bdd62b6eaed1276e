// A major upgrade whose record was lost, or whose Database is deleted while no member serves.
import assert from "node:assert/strict";
import test from "node:test";
import { finalizer } from "../api/lifecycle";
import { remove, turn } from "../../test/fakes/deleting";
import { databaseObject, type FakeCluster } from "../../test/fakes/ports";
import { declared, down, from, job, member0, phaseOf, said, to, upgrading, workload } from "../../test/fakes/upgrading";
import { Upgrade } from "../domain/upgrade";
import { reconcile } from "./reconcile";

/** In that phase, declared by a run; then the record is lost. */
async function lost(change: Partial<Upgrade>, version = to): Promise<FakeCluster> {
  const cluster = await upgrading(change, { version });
  cluster.upgradeLook.occupants = 3;
  cluster.membersNow = { workload, members: [] };
  await turn(cluster);
  const note = cluster.ups.at(-1)?.program.desired.upgrade?.note;
  assert.ok(note !== undefined);
  cluster.declaredUpgrade = Upgrade.parse(JSON.parse(note));
  cluster.record = undefined;
  cluster.object = databaseObject({ version, replicas: 3 }, { generation: 2, finalizers: [finalizer] });
  cluster.ups.length = 0;
  cluster.events.length = 0;
  return cluster;
}

const phases: readonly Partial<Upgrade>[] = [
  {},
  { phase: "BackingUp" },
  { phase: "Gathering" },
  { phase: "Stopping" },
  { phase: "Converting", ...down },
  { phase: "Converting", heading: "from", ...down },
  { phase: "Starting", ...down, files: "to" },
];

for (const change of phases) {
  const { phase = "Rehearsing", heading = "to" } = change;
  test(`${phase}, on the way ${heading}: without its record it is declared as it was, and nothing else first`, async () => {
    const version = heading === "to" ? to : from;
    const whole = await upgrading(change, { version });
    whole.upgradeLook.occupants = 3;
    whole.membersNow = { workload, members: [] };
    await turn(whole);
    const cluster = await lost(change, version);
    const quiet = { running: () => undefined, changed: () => undefined };
    const looked = await reconcile(cluster.key, cluster.database, cluster.ports, { ...quiet, looksOnly: true });
    assert.deepEqual([looked.kind, cluster.record], ["due", undefined]);
    await turn(cluster);
    assert.equal(cluster.ups.length, 0);
    assert.match(cluster.events[0]?.message ?? "", /the state was lost, and the upgrade continues/);
    await turn(cluster);
    assert.equal(phaseOf(cluster), phase);
    assert.deepEqual(declared(cluster), declared(whole));
  });
}

test("of another Database of that name nothing is resumed, nor where nothing was ever created", async () => {
  const cluster = await lost({ phase: "Converting", ...down });
  cluster.object = databaseObject({ version: to, replicas: 3 }, { uid: "uid-2", finalizers: [finalizer] });
  await turn(cluster);
  assert.equal(phaseOf(cluster), "none");
  const fresh = await lost({ phase: "Converting", ...down });
  fresh.object = databaseObject({ version: to, replicas: 3 }, { finalizers: [] });
  await turn(fresh);
  assert.equal(phaseOf(fresh), "none");
});

const snapshot = { version: to, replicas: 3, deletionPolicy: "Snapshot" };

test("deleted while its files are converted, it comes to where members serve, and then the last backup is taken", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down }, { deletionPolicy: "Snapshot" });
  remove(cluster, snapshot);
  const outcome = await turn(cluster);
  assert.equal(said(outcome, cluster), "waiting TakingFinalBackup Converting");
  assert.match("message" in outcome ? (outcome.message ?? "") : "", /has stopped them.*Retain or Delete/s);
  assert.deepEqual(declared(cluster), [from, "server:15", "none", "convert", false, undefined]);
  cluster.upgradeLook = { occupants: 1, job: job("succeeded"), initialized: "server:17" };
  cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
  await turn(cluster);
  assert.equal(phaseOf(cluster), "Starting");
  for (let turns = 0; turns < 3; turns++) await turn(cluster);
  assert.deepEqual(declared(cluster), [to, "server:17", "all", undefined, true, undefined]);
  assert.equal(cluster.destroys.length, 0);
  cluster.lastLook.finalBackup = "succeeded";
  await turn(cluster);
  assert.equal(cluster.destroys.length, 1);
});

test("deleted then, and the conversion fails: the last backup is one of the former version", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down }, { deletionPolicy: "Snapshot" });
  remove(cluster, snapshot);
  cluster.upgradeLook = { occupants: 0, job: job("failed"), initialized: "server:15" };
  await turn(cluster);
  assert.deepEqual([phaseOf(cluster), cluster.record?.upgrade?.heading], ["Stopping", "from"]);
  await turn(cluster);
  cluster.upgradeLook.job = job("succeeded", { upgrade: "Returned" });
  cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
  for (let turns = 0; turns < 4; turns++) await turn(cluster);
  assert.deepEqual(declared(cluster), [from, "server:15", "all", undefined, true, undefined]);
});

test("deleted while it is down, it is taken back where the former version is written, and confirms nothing", async () => {
  const cluster = await upgrading({ phase: "Starting", ...down, files: "to" });
  remove(cluster, { ...snapshot, version: from, upgrade: { confirmed: from } });
  await turn(cluster);
  assert.deepEqual([phaseOf(cluster), cluster.record?.upgrade?.heading], ["Stopping", "from"]);
});

test("deleted in a phase in which a member serves, the last backup is taken in it", async () => {
  for (const phase of ["Rehearsing", "Gathering"] as const) {
    const cluster = await upgrading({ phase }, { deletionPolicy: "Snapshot" });
    cluster.upgradeLook = { occupants: 1, job: job("succeeded") };
    cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
    remove(cluster, snapshot);
    await turn(cluster);
    await turn(cluster);
    assert.equal(phaseOf(cluster), phase);
    assert.equal(cluster.ups.at(-1)?.program.desired.finalBackup !== undefined, true);
  }
});
