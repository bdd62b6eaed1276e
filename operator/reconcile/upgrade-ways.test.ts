// A Database during a major upgrade: failures, ways back, and what a person or the world does meanwhile.
import assert from "node:assert/strict";
import test from "node:test";
import { deleted, remove, turn } from "../../test/fakes/deleting";
import { databaseObject, memberOf } from "../../test/fakes/ports";
import type { KeptFilesNote } from "../../contract/kept-files";
import { DatabaseSpec } from "../api/spec";
import type { Upgrade } from "../domain/upgrade";
import { statusFor } from "./status";
import { declared, down, from, job, member0, said, to, upgrading, workload } from "../../test/fakes/upgrading";

test("a conversion that fails brings the former version back, in its Job's words, and a person decides what follows", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down });
  cluster.upgradeLook.job = job("failed", { upgrade: "Failed", message: "no room" });
  await turn(cluster);
  assert.deepEqual(
    cluster.events.map(({ type, reason }) => `${type} ${reason}`),
    ["Warning UpgradeFailed"],
  );
  assert.match(cluster.events[0]?.message ?? "", /failed: no room/);
  cluster.upgradeLook = { occupants: 0, job: job("succeeded", { upgrade: "Returned" }), initialized: "server:15" };
  cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
  for (let turns = 0; turns < 6; turns++) await turn(cluster);
  const outcome = await turn(cluster);
  assert.equal(said(outcome, cluster), "stalled UpgradeFailed GaveUp");
  assert.match(
    "message" in outcome ? (outcome.message ?? "") : "",
    /failed; 15\.20 runs again.*\(no room\).*version: "15\.20"/,
  );
  assert.deepEqual(declared(cluster), [from, "server:15", "all", undefined, false, undefined]);
  cluster.object = databaseObject({ version: from, replicas: 3 }, { generation: 3 });
  await turn(cluster);
  assert.equal(said(await turn(cluster), cluster), "waiting Upgrading Removing");
  assert.deepEqual(declared(cluster), [from, "server:15", "all", undefined, false, true]);
  const keptFiles = { major: "15", kept: [] };
  const members = [0, 1, 2].map((n) => ({ ...memberOf(`shop-${n}`), keptFiles, resourceVersion: "1" }));
  cluster.membersNow = { workload, members };
  await turn(cluster);
  assert.match(cluster.events.at(-1)?.message ?? "", /called off; 15\.20 runs as before/);
  assert.equal(said(await turn(cluster), cluster), "settled none");
});

test("files of the target that cannot be put back are kept, with what members have written to them", async () => {
  const cluster = await upgrading({ phase: "Converting", served: true, ...down });
  cluster.upgradeLook.job = job("failed", { upgrade: "Failed", message: "input/output error" });
  await turn(cluster);
  cluster.upgradeLook = { occupants: 0, job: job("succeeded", { upgrade: "Returned" }), initialized: "server:15" };
  cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
  for (let turns = 0; turns < 6; turns++) await turn(cluster);
  const outcome = await turn(cluster);
  assert.match("message" in outcome ? (outcome.message ?? "") : "", /17\.12 could not be put back.*is kept in these/);
  cluster.object = databaseObject({ version: from, replicas: 3 }, { generation: 3 });
  for (let turns = 0; turns < 3; turns++) await turn(cluster);
  assert.equal(said(await turn(cluster), cluster), "settled AwaitingConfirmation");
});

test("nothing is removed before a person has confirmed the version that runs", async () => {
  const cluster = await upgrading({ phase: "AwaitingConfirmation", files: "to", keeps: true });
  assert.equal(said(await turn(cluster), cluster), "settled AwaitingConfirmation");
  const confirm = (confirmed: string): void =>
    void (cluster.object = databaseObject({ version: to, replicas: 3, upgrade: { confirmed } }, { generation: 3 }));
  confirm(from);
  assert.equal(said(await turn(cluster), cluster), "settled AwaitingConfirmation");
  confirm(to);
  assert.equal(said(await turn(cluster), cluster), "waiting Upgrading Removing");
});

test("no member is stopped for a way back that leads nowhere, and the status says that none is there", async () => {
  const kept = (...majors: string[]): KeptFilesNote => ({ major: "17", kept: majors });
  const cases: readonly (readonly [KeptFilesNote | undefined, string])[] = [
    [kept("15"), "waiting Upgrading Stopping"],
    [undefined, "waiting Upgrading Stopping"],
    [kept(), "stalled UpgradeUnsupported AwaitingConfirmation"],
  ];
  for (const [note, follows] of cases) {
    const cluster = await upgrading(
      { phase: "AwaitingConfirmation", files: "to", keeps: true, served: true },
      { version: from },
    );
    const others = [1, 2].map((n) => memberOf(`shop-${n}`, { keptFiles: kept("15") }));
    const members = [memberOf("shop-0", { role: "primary", ...(note && { keptFiles: note }) }), ...others];
    cluster.membersNow = { workload, members: members.map((member) => ({ ...member, resourceVersion: "1" })) };
    const outcome = await turn(cluster);
    assert.equal(said(outcome, cluster), follows);
    if (outcome.kind !== "stalled") continue;
    assert.match(outcome.message, /^shop-0 has no files of 15\.20 any more.*write version: "17\.12"$/);
    const status = statusFor({
      ...{ name: "shop", namespace: "team", generation: 2, outcome, previous: {} },
      observation: { ...cluster.observation, members },
      spec: DatabaseSpec.parse({ engine: "postgresql", version: from }),
      ...{ record: cluster.record, serviceMonitors: false, now: cluster.now },
    });
    assert.equal(status.upgrade?.wayBack, "Gone");
  }
});

test("files of others count as gone once every member there is to be has said so, of the version that runs", async () => {
  const none = { major: "17", kept: [] };
  const cases: readonly (readonly (KeptFilesNote | undefined)[])[] = [
    [none, none],
    [none, none, undefined],
    [none, none, { major: "17", kept: ["15"] }],
    [none, none, { major: "15", kept: [] }],
  ];
  for (const notes of cases) {
    const cluster = await upgrading({ phase: "Removing", files: "to", keeps: true });
    const members = notes.map((keptFiles, n) => ({
      ...memberOf(`shop-${n}`, keptFiles && { keptFiles }),
      resourceVersion: "1",
    }));
    cluster.membersNow = { workload, members };
    assert.equal(said(await turn(cluster), cluster), "waiting Upgrading Removing");
  }
});

test("a Job that fails before anything was stopped, or on the way back, is a person's to decide about, with its words", async () => {
  const stands: readonly (readonly [Partial<Upgrade>, Record<string, unknown>, RegExp])[] = [
    [{}, {}, /shop-upgrade cannot carry 15\.20 over.*: in its words.*delete the Job/],
    [
      { phase: "Converting", heading: "from", ...down },
      { version: from },
      /cannot put the files of 15\.20 back: in its words.*no member runs.*, or write version: "17\.12"$/,
    ],
    // its own way back cannot be broken off
    [
      { phase: "Converting", heading: "from", failed: true, ...down },
      { version: to },
      /cannot put the files of 15\.20 back.*delete the Job$/,
    ],
  ];
  for (const [upgrade, spec, says] of stands) {
    const cluster = await upgrading(upgrade, spec);
    cluster.upgradeLook.job = job("failed", { upgrade: "Failed" });
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === "UpgradeFailed", JSON.stringify(outcome));
    assert.match(outcome.message, says);
    assert.equal(cluster.record?.upgrade?.phase, upgrade.phase ?? "Rehearsing");
  }
});

test("a spec that cannot be had keeps no database down: it continues on its way", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down }, { config: { port: "1" } });
  await turn(cluster);
  cluster.upgradeLook.job = job("succeeded");
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ParameterReserved", JSON.stringify(outcome));
  assert.equal(cluster.record?.upgrade?.phase, "Starting");
});

test("a third version is refused, and the way continues", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down }, { version: "17.13" });
  cluster.catalogue = { postgresql: { ...cluster.catalogue.postgresql, "17.13": { image: "server:17.13" } } };
  cluster.upgradeLook.job = job("succeeded");
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "UpgradeUnsupported", JSON.stringify(outcome));
  assert.equal(cluster.record?.upgrade?.phase, "Starting");
});

test("where the catalogue loses a version meanwhile, its image is still known", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down });
  cluster.catalogue = { postgresql: { [to]: { image: "server:17" } } };
  await turn(cluster);
  assert.deepEqual(declared(cluster), [from, "server:15", "none", "convert", false, undefined]);
  assert.equal(cluster.ups.at(-1)?.program.desired.upgrade?.job?.image, "upgrade:17");
  const upgrade = { image: "upgrade:17-rebuilt", from: "15.21" };
  cluster.catalogue = {
    postgresql: { [from]: { image: "server:15-rebuilt" }, [to]: { image: "server:17", upgrade } },
  };
  await turn(cluster);
  assert.deepEqual(declared(cluster), [from, "server:15-rebuilt", "none", "convert", false, undefined]);
  assert.equal(cluster.ups.at(-1)?.program.desired.upgrade?.job?.image, "upgrade:17-rebuilt");
  cluster.catalogue = { postgresql: { [to]: { image: "server:17", upgrade: { ...upgrade, from: "15.19" } } } };
  await turn(cluster);
  assert.equal(cluster.ups.at(-1)?.program.desired.upgrade?.job?.image, "upgrade:17");
});

test("a member that does not start with the new version leaves the way back open", async () => {
  const cluster = await upgrading({ phase: "Starting", ...down, files: "to" }, { version: from });
  cluster.observation = {
    workload: { ...workload, revision: "newer" },
    members: [memberOf("shop-0", { revision: "new", ready: false, failure: "container postgresql keeps exiting" })],
    jobs: [],
  };
  await turn(cluster);
  assert.deepEqual([cluster.record?.upgrade?.phase, cluster.record?.upgrade?.heading], ["Stopping", "from"]);
});

test("a Database that is deleted meanwhile declares no version whose files it does not have", async () => {
  const cluster = await upgrading({ phase: "BackingUp" }, { deletionPolicy: "Snapshot" });
  remove(cluster, { version: to, replicas: 3, deletionPolicy: "Snapshot" });
  await turn(cluster);
  assert.deepEqual(declared(cluster), [from, "server:15", "all", undefined, true, undefined]);
});

test("a Database without an upgrade is asked nothing more than before", async () => {
  const cluster = await deleted({});
  assert.deepEqual(cluster.upgradeRequests, []);
  assert.equal(cluster.ups[0]?.program.desired.upgrade, undefined);
});

test("status says where it is, and that the database is down where it is", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down, announcedSeconds: 6.2 });
  const outcome = await turn(cluster);
  const status = statusFor({
    ...{ name: "shop", namespace: "team", generation: 2, outcome, observation: cluster.observation, previous: {} },
    spec: DatabaseSpec.parse({ engine: "postgresql", version: to }),
    ...{ record: cluster.record, serviceMonitors: false, now: cluster.now },
  });
  assert.deepEqual(status.upgrade, { from, to, phase: "Converting", announcedSeconds: 7 });
  const [ready] = status.conditions ?? [];
  assert.deepEqual([ready?.type, ready?.status, ready?.reason], ["Ready", "False", "Upgrading"]);
  assert.match(ready?.message ?? "", /the rehearsal took 6\.2 s/);
});

test("members that are about to go are not restarted first", async () => {
  const former = { revision: "former" };
  const members = [memberOf("shop-0", { role: "primary", ...former }), memberOf("shop-1", former)];
  for (const phase of ["Gathering", "Stopping"] as const) {
    const cluster = await upgrading({ phase });
    cluster.observation = { workload: { ...workload, wanted: 2 }, members, jobs: [] };
    cluster.upgradeLook.occupants = 3;
    await turn(cluster);
    await turn(cluster);
    assert.deepEqual([cluster.evicted, cluster.ups.length], [[], 1]);
  }
});
