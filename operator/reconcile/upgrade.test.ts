// A Database during a major upgrade: what each phase declares, what it waits for, and what is noted before the run that follows.
import assert from "node:assert/strict";
import test from "node:test";
import { failure, turn } from "../../test/fakes/deleting";
import { memberOf, type FakeCluster } from "../../test/fakes/ports";
import type { Upgrade } from "../domain/upgrade";
import { reconcile } from "./reconcile";
import { declared, down, from, job, member0, phaseOf, said, to, upgrading, workload } from "../../test/fakes/upgrading";

interface Phase {
  readonly upgrade: Partial<Upgrade>;
  readonly declares: readonly unknown[];
  /** What is seen when it is over. */
  readonly over: (cluster: FakeCluster) => void;
  readonly follows: string;
}

const phases = {
  Rehearsing: {
    upgrade: {},
    declares: [from, "server:15", "all", "rehearse", false, undefined],
    over: (cluster) => (cluster.upgradeLook.job = job("succeeded", { upgrade: "Rehearsed", conversionSeconds: 7 })),
    follows: "BackingUp",
  },
  BackingUp: {
    upgrade: { phase: "BackingUp" },
    declares: [from, "server:15", "all", undefined, true, undefined],
    over: (cluster) => {
      cluster.lastLook.finalBackup = "succeeded";
      cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
    },
    follows: "Gathering",
  },
  Gathering: {
    upgrade: { phase: "Gathering" },
    declares: [from, "server:15", "one", undefined, false, undefined],
    over: (cluster) => {
      cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
      cluster.upgradeLook.occupants = 1;
    },
    follows: "Stopping",
  },
  Stopping: {
    upgrade: { phase: "Stopping" },
    declares: [from, "server:15", "none", undefined, false, undefined],
    over: (cluster) => (cluster.upgradeLook.occupants = 0),
    follows: "Converting",
  },
  Converting: {
    upgrade: { phase: "Converting", ...down },
    declares: [from, "server:15", "none", "convert", false, undefined],
    over: (cluster) => (cluster.upgradeLook.job = job("succeeded")),
    follows: "Starting",
  },
  "Converting on the way back": {
    upgrade: { phase: "Converting", heading: "from", ...down },
    declares: [from, "server:15", "none", "return", false, undefined],
    over: (cluster) => (cluster.upgradeLook.job = job("succeeded", { upgrade: "Returned" })),
    follows: "Starting",
  },
  "Converting once the way back is broken off": {
    upgrade: { phase: "Converting", served: true, ...down },
    declares: [from, "server:15", "none", "reinstate", false, undefined],
    over: (cluster) => (cluster.upgradeLook.job = job("succeeded", { upgrade: "Returned" })),
    follows: "Starting",
  },
  Starting: {
    upgrade: { phase: "Starting", ...down, files: "to" },
    declares: [to, "server:17", "all", undefined, false, undefined],
    over: (cluster) => {
      cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
      cluster.upgradeLook.initialized = "server:17";
    },
    follows: "AwaitingConfirmation",
  },
  Removing: {
    upgrade: { phase: "Removing", files: "to", keeps: true },
    declares: [to, "server:17", "all", undefined, false, true],
    over: (cluster) => {
      const keptFiles = { major: "17", kept: [] };
      const members = [0, 1, 2].map((n) => ({ ...memberOf(`shop-${n}`), keptFiles, resourceVersion: "1" }));
      cluster.membersNow = { workload, members };
    },
    follows: "none",
  },
} satisfies Record<string, Phase>;

for (const [phase, { upgrade, declares, over, follows }] of Object.entries<Phase>(phases)) {
  const spec = upgrade.heading === "from" ? { version: from } : {};

  test(`${phase}: the stack declares what it is for, and nothing follows before that has happened`, async () => {
    const cluster = await upgrading(upgrade, spec);
    cluster.upgradeLook.occupants = 3;
    cluster.membersNow = { workload, members: [] };
    assert.equal(said(await turn(cluster), cluster), `waiting Upgrading ${upgrade.phase ?? "Rehearsing"}`);
    assert.deepEqual(declared(cluster), declares);
    assert.equal(said(await turn(cluster), cluster), `waiting Upgrading ${upgrade.phase ?? "Rehearsing"}`);
    assert.equal(cluster.ups.length, 1);
  });

  test(`${phase}: what follows is noted before the run that declares it, and never by a turn that only looks`, async () => {
    const cluster = await upgrading(upgrade, spec);
    cluster.membersNow = { workload, members: [] };
    cluster.upgradeLook.occupants = 3;
    await turn(cluster);
    over(cluster);
    const quiet = { running: () => undefined, changed: () => undefined };
    const looked = await reconcile(cluster.key, cluster.database, cluster.ports, { ...quiet, looksOnly: true });
    assert.equal(said(looked, cluster), `due ${upgrade.phase ?? "Rehearsing"}`);
    await turn(cluster);
    assert.equal(phaseOf(cluster), follows);
    assert.equal(cluster.ups.length, 1);
    assert.equal(cluster.events.length, 1, JSON.stringify(cluster.events));
  });

  test(`${phase}: a run that fails, or is lost with its operator, is repeated as it was`, async () => {
    const cluster = await upgrading(upgrade, spec);
    over(cluster);
    cluster.results = [failure];
    assert.equal(said(await turn(cluster), cluster), `failed RunFailed ${upgrade.phase ?? "Rehearsing"}`);
    const killed = { ...cluster.ports.stacks, up: () => Promise.reject(new Error("the operator was killed")) };
    await assert.rejects(turn(cluster, { ...cluster.ports, stacks: killed }), /was killed/);
    assert.equal(phaseOf(cluster), upgrade.phase ?? "Rehearsing");
    await turn(cluster);
    assert.deepEqual(declared(cluster), declares);
    assert.equal(phaseOf(cluster), follows);
  });
}

for (const phase of ["BackingUp", "Gathering"] as const) {
  test(`${phase}: no member is ended while no node could take it again`, async () => {
    const cluster = await upgrading(phases[phase].upgrade);
    phases[phase].over(cluster);
    cluster.noPlace = "no node has the label disktype=sdd";
    const outcome = await turn(cluster);
    assert.equal(said(outcome, cluster), `waiting Upgrading ${phase}`);
    assert.match(JSON.stringify(outcome), /; not yet: no node has the label disktype=sdd/);
    cluster.noPlace = undefined;
    await turn(cluster);
    assert.equal(phaseOf(cluster), phases[phase].follows);
  });
}

test("what the rehearsal took is announced, and how long no member served is told", async () => {
  const cluster = await upgrading();
  cluster.upgradeLook.job = job("succeeded", { upgrade: "Rehearsed", conversionSeconds: 7 });
  await turn(cluster);
  assert.equal(cluster.record?.upgrade?.announcedSeconds, 7);
  const started = await upgrading({ ...down, phase: "Starting", files: "to" });
  phases.Starting.over(started);
  await turn(started);
  const { downtimeSeconds, stoppedAt } = started.record?.upgrade ?? {};
  assert.deepEqual([downtimeSeconds, stoppedAt], [61, undefined]);
});

test("members stay while the last backup is not on record, or the first one does not receive what the primary writes", async () => {
  const led = { ...member0, resourceVersion: "1" };
  const follows = { ...led, role: "replica", streaming: true } as const;
  const stays: readonly (readonly [isTold: boolean, members: (typeof led)[], follows: string])[] = [
    [false, [led], "BackingUp"],
    [true, [{ ...follows, streaming: false }], "BackingUp"],
    [true, [{ ...led, name: "shop-1" }], "BackingUp"],
    [true, [{ ...follows, ready: false }], "BackingUp"],
    [true, [follows], "Gathering"],
  ];
  for (const [isTold, members, phase] of stays) {
    const cluster = await upgrading({ phase: "BackingUp" });
    cluster.lastLook.finalBackup = "succeeded";
    cluster.isBackupTold = isTold;
    cluster.membersNow = { workload, members };
    await turn(cluster);
    assert.equal(phaseOf(cluster), phase, JSON.stringify([isTold, members]));
  }
});

test("downtime counts from the note of the stop on, and a turn back on the way continues it", async () => {
  const cluster = await upgrading({ phase: "Gathering" });
  phases.Gathering.over(cluster);
  await turn(cluster);
  assert.equal(cluster.record?.upgrade?.stoppedAt, "2026-01-01T00:00:00.500Z");
  const turned = await upgrading({ phase: "Starting", ...down, files: "to" }, { version: from });
  await turn(turned);
  assert.deepEqual(
    [turned.record?.upgrade?.phase, turned.record?.upgrade?.heading, turned.record?.upgrade?.stoppedAt],
    ["Stopping", "from", down.stoppedAt],
  );
});

test("each Job is asked for by what it does, so that none of another way counts", async () => {
  const forth = await upgrading({ phase: "Converting", ...down });
  const back = await upgrading({ phase: "Converting", heading: "from", ...down }, { version: from });
  await turn(forth);
  await turn(back);
  assert.deepEqual(
    [...forth.upgradeRequests, ...back.upgradeRequests],
    ["uid-1 convert 15.20 17.12", "uid-1 return 15.20 17.12"],
  );
  assert.equal(forth.ups.at(-1)?.program.desired.upgrade?.job?.request, "uid-1 convert 15.20 17.12");
});
