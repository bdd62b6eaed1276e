import assert from "node:assert/strict";
import test from "node:test";
import { asked, FakeBackups, runOf } from "../../test/fakes/backups";
import { databaseObject } from "../../test/fakes/ports";
import { isBackupJobName, isGapBackupJobName } from "../../components/naming";

const gap = { segment: "00000001000000000000000A", at: "2026-01-10T11:00:00Z" };

function withGap(state: "Arriving" | "Waiting" = "Arriving"): FakeBackups {
  const cluster = new FakeBackups();
  cluster.runs = [runOf(9)];
  cluster.archive = { state, gap };
  return cluster;
}

/** The backup of the gap ends. */
function end(cluster: FakeBackups, state: "succeeded" | "failed", finishedAt: string): void {
  cluster.runs = cluster.runs.map((run) =>
    run.state === "running" ? { ...run, state, createdAt: "2026-01-10T12:00:00Z", finishedAt } : run,
  );
}

test("where WAL was given up a backup is taken, once", async () => {
  const cluster = withGap();
  await cluster.settle();
  await cluster.settle();
  const [job = "", ...others] = cluster.begun;
  assert.deepEqual(others, []);
  assert.ok(isGapBackupJobName("shop", job) && isBackupJobName("shop", job), job);
  end(cluster, "succeeded", "2026-01-10T12:05:00Z");
  await cluster.settle();
  cluster.restart();
  await cluster.settle();
  assert.equal(cluster.begun.length, 1);
  assert.deepEqual(
    cluster.names.map((name) => cluster.status(name).trigger),
    ["Scheduled", "ArchiveGap"],
  );
});

test("one that fails is followed by another, not at once", async () => {
  const cluster = withGap();
  await cluster.settle();
  end(cluster, "failed", "2026-01-10T12:05:00Z");
  cluster.now = new Date("2026-01-10T12:06:00Z");
  assert.deepEqual(await cluster.turn(), { kind: "again", afterMs: 9 * 60_000 });
  assert.equal(cluster.begun.length, 1);
  cluster.now = new Date("2026-01-10T12:15:00Z");
  await cluster.settle();
  assert.equal(new Set(cluster.begun).size, 2);
});

test("on a volume gaps that come again and again do not use up what retention keeps", async () => {
  const cluster = withGap();
  const spec = { engine: "mysql", version: "9.7", backup: { pointInTime: { enabled: true } } };
  cluster.database = databaseObject(spec);
  await cluster.settle();
  end(cluster, "succeeded", "2026-01-10T12:05:00Z");
  cluster.archive = { state: "Arriving", gap: { segment: "aaaa:1-5", at: "2026-01-10T12:30:00Z" } };
  cluster.now = new Date("2026-01-10T13:00:00Z");
  assert.deepEqual(await cluster.turn(), { kind: "again", afterMs: 5 * 3_600_000 });
  assert.equal(cluster.begun.length, 1);
  cluster.now = new Date("2026-01-10T18:00:00Z");
  await cluster.settle();
  assert.equal(cluster.begun.length, 2);
});

const lastTransitionTime = "2026-01-10T01:00:00Z";
const told = { type: "ArchiveReady", status: "False", reason: "ArchiveGap", lastTransitionTime } as const;

test("a gap that only the condition tells, as its primary has gone, is closed at once as well", async () => {
  const cluster = withGap();
  cluster.archive = { state: "Arriving" };
  const message = `WAL up to ${gap.segment} was given up at ${gap.at}, so that it does not fill the data volume: and so on`;
  cluster.database = { ...databaseObject(), status: { conditions: [{ ...told, message }] } };
  await cluster.settle();
  // the same as by the word of its primary
  const other = withGap();
  await other.settle();
  assert.deepEqual(cluster.begun, other.begun);
  end(cluster, "succeeded", "2026-01-10T12:05:00Z");
  await cluster.settle();
  assert.equal(cluster.begun.length, 1);
});

const unwanted: readonly (readonly [what: string, having: (cluster: FakeBackups) => void])[] = [
  ["WAL still waits", (cluster) => (cluster.archive = { state: "Waiting", message: "no route", gap })],
  ["there is no gap", (cluster) => (cluster.archive = { state: "Arriving" })],
  [
    "members still had what was missing on the volume, and the condition does not say so yet",
    (cluster) => {
      cluster.archive = { state: "Arriving" };
      const message = `transactions ${gap.segment} were gone before they were copied, as was found at ${gap.at}: and so on`;
      const spec = { engine: "mysql", version: "9.7", backup: { pointInTime: { enabled: true } } };
      cluster.database = { ...databaseObject(spec), status: { conditions: [{ ...told, message }] } };
    },
  ],
  ["no primary says anything", (cluster) => (cluster.archive = undefined)],
  ["a backup that was begun afterwards succeeded", ({ runs }) => runs.push(runOf(10))],
  ["one is running", ({ runs }) => runs.push(runOf(8, { state: "running", finishedAt: undefined }))],
  ["the Database is gone", (cluster) => (cluster.database = undefined)],
  ["it is not to be backed up", (cluster) => (cluster.database = databaseObject({ backup: { enabled: false } }))],
];

for (const [what, having] of unwanted)
  test(`none is taken where ${what}`, async () => {
    const cluster = withGap();
    cluster.archive = { state: "Arriving", gap: { ...gap, at: "2026-01-10T01:00:00Z" } };
    having(cluster);
    await cluster.settle();
    assert.deepEqual(cluster.begun, []);
  });

test("one that a person asks for is that one", async () => {
  const cluster = withGap();
  cluster.ask(asked("by-hand"));
  await cluster.settle();
  assert.deepEqual(cluster.begun, ["by-hand"]);
});

/** A Database whose backup of the night failed at 02:05. */
function withFailure(): FakeBackups {
  const cluster = new FakeBackups();
  cluster.runs = [runOf(10, { name: "shop-backup-29000000", state: "failed" })];
  cluster.now = new Date("2026-01-10T02:06:00Z");
  return cluster;
}

test("where changes are kept on the volume one that failed is tried again though they wait: the volume may be well", async () => {
  const cluster = withFailure();
  cluster.database = databaseObject({
    engine: "postgresql",
    version: "17.6",
    backup: { pointInTime: { enabled: true } },
  });
  cluster.archive = { state: "Waiting", message: "Deployment shop-archive has not been heard of" };
  cluster.now = new Date("2026-01-10T02:15:00Z");
  await cluster.settle();
  assert.equal(cluster.begun.length, 1);
});

test("one of the schedule that failed is tried again, once at a time, whatever operator looks", async () => {
  const cluster = withFailure();
  assert.deepEqual(await cluster.turn(), { kind: "again", afterMs: 9 * 60_000 });
  cluster.now = new Date("2026-01-10T02:15:00Z");
  await cluster.settle();
  cluster.restart();
  await cluster.settle();
  const [job = "", ...more] = cluster.begun;
  assert.deepEqual(more, []);
  assert.ok(isBackupJobName("shop", job) && !isGapBackupJobName("shop", job), job);
  end(cluster, "succeeded", "2026-01-10T12:05:00Z");
  cluster.now = new Date("2026-01-10T23:00:00Z");
  await cluster.settle();
  assert.equal(cluster.begun.length, 1);
  assert.deepEqual(
    cluster.names.map((name) => cluster.status(name).trigger),
    ["Scheduled", "Retry"],
  );
});

test("none is tried again while its CronJob is suspended, the storage is away, or no backups are wanted", async () => {
  const hindrances: readonly ((cluster: FakeBackups) => void)[] = [
    (cluster) => (cluster.isSuspended = true),
    (cluster) => (cluster.archive = { state: "Waiting", message: "no route" }),
    (cluster) => (cluster.database = databaseObject({ backup: { enabled: false } })),
    (cluster) => (cluster.database = undefined),
  ];
  for (const hinder of hindrances) {
    const cluster = withFailure();
    cluster.now = new Date("2026-01-10T03:00:00Z");
    hinder(cluster);
    await cluster.settle();
    assert.deepEqual(cluster.begun, []);
  }
});
