// Turns over a cluster in memory: which objects and Jobs there are afterwards, whatever died in between.
import assert from "node:assert/strict";
import test from "node:test";
import { asked, Died, FakeBackups, labelOf, reported, runOf } from "../../test/fakes/backups";
import { databaseObject } from "../../test/fakes/ports";
import type { BackupRun } from "../domain/backups";

const nameOf = (day: number): string => `shop-202601${String(day).padStart(2, "0")}t020000`;
const manual = "before-migration";

function having(...runs: readonly BackupRun[]): FakeBackups {
  const cluster = new FakeBackups();
  cluster.runs = [...runs];
  return cluster;
}

/** The Job of a manual backup ends. */
function end(cluster: FakeBackups, some: Partial<BackupRun>): void {
  cluster.runs = cluster.runs.map((run) => (run.requestedBy === undefined ? run : { ...run, ...some }));
}

test("every Job that takes a backup is recorded, whatever asked for it", async () => {
  const first = reported(1, 1, { name: "shop-backup-first" });
  const byHand = reported(3, 1, { name: "by-hand", isManual: true });
  const cluster = having(first, reported(2, 1), byHand, reported(4, 1, { name: "shop-backup-final" }));
  await cluster.settle();
  const triggers = cluster.names.map((name) => [name, cluster.status(name).trigger]);
  assert.deepEqual(triggers, [
    [`${nameOf(1)}-first`, "Initial"],
    [nameOf(2), "Scheduled"],
    [nameOf(3), "Manual"],
    [`${nameOf(4)}-final`, "Final"],
  ]);
  assert.deepEqual(
    cluster.names.map((name) => cluster.status(name).label),
    [1, 2, 3, 4].map(labelOf),
  );
});

test("applying one begins one Job, and it says how that went", async () => {
  const cluster = having();
  cluster.ask(asked(manual));
  await cluster.settle();
  assert.deepEqual(cluster.begun, [manual]);
  assert.deepEqual([cluster.runs.length, cluster.status(manual).phase], [1, "Running"]);
  const { report } = reported(9);
  end(cluster, { state: "succeeded", finishedAt: "2026-01-09T02:05:00Z", ...(report && { report }) });
  await cluster.settle();
  const { phase, trigger, label, location, durationSeconds } = cluster.status(manual);
  assert.deepEqual([phase, trigger, label, location], ["Succeeded", "Manual", labelOf(9), "volume shop-backup"]);
  assert.equal(durationSeconds, 297);
  const before = cluster.status(manual);
  cluster.runs = [];
  await cluster.settle();
  assert.deepEqual(cluster.status(manual), before, "what it was stays known when its Job has gone");
  assert.deepEqual(cluster.begun, [manual], "and none is taken again");
});

for (const losesAnswer of [false, true]) {
  const when = losesAnswer ? "after each write" : "before each write";
  test(`an operator that dies ${when} leaves what its successor completes`, async () => {
    const failed = [3, 4, 5, 6].map((day) => runOf(day, { state: "failed" }));
    const story = async (deadAfter: number): Promise<readonly unknown[]> => {
      const cluster = having(reported(1), ...failed);
      cluster.losesAnswer = losesAnswer;
      cluster.ask(asked(manual, true));
      cluster.writesLeft = deadAfter;
      await cluster.turn();
      cluster.restart();
      await cluster.settle();
      const { report } = reported(9, 9);
      end(cluster, { state: "succeeded", finishedAt: "2026-01-09T02:05:00Z", ...(report && { report }) });
      cluster.writesLeft = deadAfter;
      await cluster.turn();
      cluster.restart();
      await cluster.settle();
      assert.ok(cluster.errors.every((error) => error instanceof Died));
      return [[...cluster.objects].sort(), cluster.runs.map(({ name }) => name)];
    };
    const wanted = await story(Number.POSITIVE_INFINITY);
    for (let deadAfter = 0; deadAfter < 12; deadAfter++) assert.deepEqual(await story(deadAfter), wanted);
  });
}

test("the record of what retention removed goes, and that of what is kept or of another cluster stays", async () => {
  const cluster = having(...[1, 2, 3, 4].map((day) => reported(day, 1)));
  await cluster.settle();
  cluster.keep(nameOf(2), true);
  cluster.change(nameOf(3), (backup) => ({ ...backup, status: { ...backup.status, cluster: "former" } }));
  cluster.runs.push(reported(5, 4));
  await cluster.settle();
  assert.deepEqual(cluster.names, [2, 3, 4, 5].map(nameOf));
  // its data are there until the next backup
  cluster.keep(nameOf(2), false);
  await cluster.settle();
  assert.deepEqual(cluster.names, [2, 3, 4, 5].map(nameOf));
  cluster.runs.push(reported(6, 5));
  await cluster.settle();
  assert.deepEqual(cluster.names, [3, 5, 6].map(nameOf));
  // the Jobs are still there
  cluster.restart();
  await cluster.settle();
  assert.deepEqual(cluster.names, [3, 5, 6].map(nameOf));
});

test("where people's backups alone follow, the record of the first one goes with its data, and does not come back with its Job", async () => {
  const cluster = having(reported(1, 1, { name: "shop-backup-first" }));
  await cluster.settle();
  cluster.ask(asked(manual));
  await cluster.settle();
  const { report } = reported(9, 9);
  end(cluster, { state: "succeeded", finishedAt: "2026-01-09T02:05:00Z", ...(report && { report }) });
  await cluster.settle();
  assert.deepEqual(cluster.names, [manual]);
  cluster.restart();
  await cluster.settle();
  assert.deepEqual(cluster.names, [manual]);
});

test("what a later backup found damaged says so, with what needs it, and its object goes with the data only", async () => {
  const at = new FakeBackups();
  at.runs = [reported(1), reported(2, 1)];
  await at.settle();
  const [first = "", second = ""] = at.names;
  const { report } = reported(3, 1);
  at.runs = [...at.runs, reported(3, 1, report && { report: { ...report, damaged: [labelOf(1)] } })];
  await at.settle();
  assert.equal(at.status(first).conditions?.[0]?.reason, "BackupDamaged");
  assert.equal(at.status(second).phase, "Succeeded");
  at.change(second, (backup) => ({ ...backup, status: { ...backup.status, base: labelOf(1) } }));
  await at.settle();
  assert.match(at.status(second).message ?? "", /which it needs, is damaged/);
  at.runs = [4, 5, 6, 7].map((day) => runOf(day, { state: "failed" }));
  await at.settle();
  assert.equal(at.status(first).conditions?.[0]?.reason, "BackupDamaged");
});

test("of failures that no person made the newest three stay, and those that a person made all do", async () => {
  const cluster = having(...[1, 2, 3, 4, 5].map((day) => runOf(day, { state: "failed", trouble: "no space" })));
  cluster.isSuspended = true;
  cluster.ask(asked(manual));
  await cluster.settle();
  end(cluster, { state: "failed", finishedAt: "2026-01-09T02:05:00Z" });
  await cluster.settle();
  assert.deepEqual(cluster.names, [manual, ...[3, 4, 5].map(nameOf)]);
  cluster.restart();
  await cluster.settle();
  assert.deepEqual(cluster.names, [manual, ...[3, 4, 5].map(nameOf)]);
  assert.match(cluster.status(nameOf(5)).message ?? "", /no space/);
});

test("a Job that is gone before it ended has failed; one that the watch does not show yet has not", async () => {
  const cluster = having();
  cluster.ask(asked(manual));
  await cluster.settle();
  const [run] = cluster.runs;
  assert.ok(run !== undefined);
  cluster.hidden.push(run);
  await cluster.settle();
  assert.equal(cluster.status(manual).phase, "Running");
  cluster.runs = [];
  await cluster.settle();
  const { phase, message, trigger } = cluster.status(manual);
  assert.deepEqual([phase, trigger], ["Failed", "Manual"]);
  assert.match(message ?? "", /^Job shop-backup-m\w+ was gone before it had ended/);
  await cluster.settle();
  assert.deepEqual(cluster.begun.length, 1, "it is not tried again");
});

test("two Jobs of one second have an object each, and an object of a person is not taken for that of a Job", async () => {
  const cluster = having(reported(1), reported(1, 1, { name: "by-hand", uid: "abcdefgh-2", isManual: true }));
  await cluster.settle();
  assert.deepEqual(cluster.names, [nameOf(1), `${nameOf(1)}-job 1`].sort());
  const other = having(reported(2));
  other.ask(asked(nameOf(2)));
  await other.settle();
  assert.deepEqual(other.names, [nameOf(2), `${nameOf(2)}-job 2`]);
});

test("backups of one Database wait for each other, the oldest first", async () => {
  const cluster = having(runOf(8, { state: "running", finishedAt: undefined }));
  cluster.ask(asked("b"));
  cluster.ask(asked("a"));
  await cluster.settle();
  assert.match(cluster.status("a").message ?? "", /waits for Job shop-backup-8 to end/);
  cluster.runs = [reported(8)];
  await cluster.settle();
  assert.deepEqual(cluster.begun, ["a"]);
  assert.match(cluster.status("b").message ?? "", /waits for Job shop-backup-m/);
  assert.deepEqual([cluster.status("a").phase, cluster.status("b").phase], ["Running", "Pending"]);
});

const waits: Record<string, readonly [(cluster: FakeBackups) => void, RegExp, isStalled: boolean]> = {
  "there is no Database": [(cluster) => (cluster.database = undefined), /there is no Database shop/, true],
  "its Database goes": [
    (cluster) => (cluster.database = databaseObject({}, { deletionTimestamp: "2026-01-09T00:00:00Z" })),
    /is being deleted/,
    true,
  ],
  "backups are switched off": [
    (cluster) => (cluster.database = databaseObject({ backup: { enabled: false } })),
    /spec\.backup\.enabled of Database shop is false/,
    true,
  ],
  "the first run is still to come": [(cluster) => (cluster.hasCronJob = false), /no CronJob yet/, false],
  "the API server refuses the Job": [(cluster) => (cluster.refusal = "exceeded quota"), /exceeded quota/, true],
};
for (const [what, [arrange, message, isStalled]] of Object.entries(waits)) {
  test(`one waits, and says what to do, where ${what}; and begins once that is over`, async () => {
    const cluster = having();
    cluster.ask(asked(manual));
    arrange(cluster);
    await cluster.settle();
    const status = cluster.status(manual);
    assert.equal(status.phase, "Pending");
    assert.match(status.message ?? "", message);
    const stalled = status.conditions?.find(({ type }) => type === "Stalled");
    assert.equal(stalled?.status, isStalled ? "True" : "False");
    assert.equal(status.observedGeneration, 1);
    Object.assign(cluster, { database: databaseObject(), hasCronJob: true, refusal: undefined });
    await cluster.settle();
    assert.equal(cluster.status(manual).phase, "Running");
  });
}

test("a Database that is paused, or whose spec is refused, is backed up", async () => {
  for (const spec of [{ paused: true }, { version: "no version" }]) {
    const cluster = having();
    cluster.database = databaseObject(spec);
    cluster.ask(asked(manual));
    await cluster.settle();
    assert.equal(cluster.status(manual).phase, "Running");
  }
});

test("the word of a pod that comes after its Job has ended is waited for, and not forever", async () => {
  const cluster = having(runOf(9));
  cluster.now = new Date("2026-01-09T02:05:01Z");
  await cluster.turn();
  assert.deepEqual(await cluster.turn(), { kind: "again", afterMs: 4000 });
  assert.equal(cluster.status(nameOf(9)).phase, "Running");
  cluster.now = new Date("2026-01-09T02:05:30Z");
  await cluster.settle();
  const { phase, label } = cluster.status(nameOf(9));
  assert.deepEqual([phase, label], ["Succeeded", undefined]);
  cluster.runs = [reported(9)];
  await cluster.settle();
  assert.equal(cluster.status(nameOf(9)).label, labelOf(9), "it may come later still");
});

test("a pod that ended well and said nothing is not waited for", async () => {
  const cluster = having(runOf(9, { isSilent: true }));
  cluster.now = new Date("2026-01-09T02:05:01Z");
  await cluster.settle();
  assert.equal(cluster.status(nameOf(9)).phase, "Succeeded");
});

test("nothing is done while it is not known what has been recorded, nor for a Database that goes with all its data", async () => {
  const cluster = having(reported(1));
  cluster.isKnown = false;
  assert.deepEqual(await cluster.turn(), { kind: "forget" });
  assert.deepEqual(cluster.names, []);
  const going = having(reported(1));
  going.database = databaseObject({ deletionPolicy: "Delete" }, { deletionTimestamp: "2026-01-09T00:00:00Z" });
  await going.settle();
  assert.deepEqual(going.names, []);
});

test("where the kind was removed, it is looked for again", async () => {
  const cluster = having(reported(1));
  cluster.isRemoved = true;
  assert.deepEqual(await cluster.turn(), { kind: "again", afterMs: 30_000 });
  cluster.isRemoved = false;
  await cluster.settle();
  assert.deepEqual(cluster.names, [nameOf(1)]);
});

test("an object that a person deleted does not come back once a later Job was recorded", async () => {
  const cluster = having(reported(1), reported(2, 1));
  await cluster.settle();
  cluster.objects.delete(nameOf(1));
  cluster.restart();
  await cluster.settle();
  assert.deepEqual(cluster.names, [nameOf(2)]);
});
