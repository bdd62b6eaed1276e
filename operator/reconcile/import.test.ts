// A Database that begins with the data of a server elsewhere. What it has in common with a restore is tried there.
import assert from "node:assert/strict";
import test from "node:test";
import { remove, turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { beginningIn, beginningOf, beginnings } from "./beginnings";
import { initializedFromOf, restoredFromOf } from "./restored-from";

const spec = {
  initFrom: {
    ...{ host: "old-db.example.com", databases: ["orders"], credentials: { name: "old-db" } },
    tls: { ca: { name: "old-db-ca" } },
  },
};
const server = {
  ...{ host: "old-db.example.com", port: 5432, databases: ["orders"], credentials: "old-db" },
  ...{ tls: "Verify", ca: "old-db-ca" },
};
const imported = { version: "15.18", tables: 4, rows: 20_053, consistency: "OneMoment" } as const;

/** A new Database that asks for an import. */
function asking(some: Record<string, unknown> = {}): FakeCluster {
  const cluster = new FakeCluster(databaseObject({ ...spec, ...some }));
  cluster.lastLook.hasData = false;
  return cluster;
}

/** What the watches show of the Job. */
const jobOf = (state: "running" | "succeeded", some: object = {}): FakeCluster["observation"]["jobs"][number] => ({
  ...{ name: "shop-import", database: "shop", namespace: "team", component: "import", state },
  ...{ finishedAt: undefined, createdAt: "2026-01-01T00:00:00Z" },
  ...some,
});

const showing = (cluster: FakeCluster, job: FakeCluster["observation"]["jobs"][number]): void => {
  cluster.observation = { ...cluster.observation, jobs: [job] };
};

const restoresOf = ({ ups }: FakeCluster): unknown[] => ups.map(({ program }) => program.desired.restore);

test("no member is there before the data are, and then the status says what was counted", async () => {
  const cluster = asking();
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "Importing", JSON.stringify(waiting));
  assert.match(waiting.message, /Job shop-import imports database orders of old-db\.example\.com:5432/);
  assert.deepEqual(cluster.fillingJobs, ["shop-import"]);
  cluster.lastLook.restore = "succeeded";
  showing(cluster, jobOf("succeeded", { imported }));
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual(restoresOf(cluster), [{ server }, undefined]);
  assert.deepEqual(
    cluster.events.map(({ reason, message }) => [reason, message]),
    [
      [
        "ImportSucceeded",
        "Job shop-import has imported database orders of old-db.example.com:5432: 4 tables or collections, 20053 rows or documents, counted on both sides; now members start",
      ],
    ],
  );
  const restored = cluster.record?.restored;
  assert.deepEqual(restored, { uid: "uid-1", server, isDone: true, imported });
});

test("a Job that has ended is not gone by before its word is read; without a word of it no one waits", async () => {
  const lagging = asking();
  await turn(lagging);
  lagging.lastLook.restore = "succeeded";
  showing(lagging, jobOf("running"));
  const waiting = await turn(lagging);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "Importing", JSON.stringify(waiting));
  showing(lagging, jobOf("succeeded"));
  assert.equal((await turn(lagging)).kind, "settled");
  assert.deepEqual(lagging.record?.restored, { uid: "uid-1", server, isDone: true });
});

test("an import that has begun continues whatever is removed meanwhile: no member starts empty", async () => {
  const cluster = asking();
  cluster.results = [
    { kind: "failed", problem: { message: "services is forbidden", resource: undefined }, checkpoint: "half" },
  ];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.lastLook.hasData = true;
  cluster.storageSecrets.set("old-db", new Set());
  cluster.object = databaseObject({});
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Importing", JSON.stringify(outcome));
  assert.deepEqual(restoresOf(cluster), [{ server }, { server }]);
});

test("a Job that failed is reported with its own words and the ways out, and nothing is started", async () => {
  const cluster = asking();
  await turn(cluster);
  cluster.lastLook.restore = "failed";
  showing(cluster, { ...jobOf("running"), state: "failed", trouble: 'password authentication failed for user "app"' });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ImportFailed", JSON.stringify(outcome));
  assert.match(outcome.message, /said: password authentication .*nothing of what was imported is used.*delete the Job/);
  assert.deepEqual(restoresOf(cluster), [{ server }]);
});

test("a Secret that is not there, or lacks a key, is waited for before anything is created", async () => {
  const cluster = asking();
  for (const [name, keys, says] of [
    ["old-db", ["username"], /^Secret old-db has no key password yet: until it has, the import waits/],
    ["old-db-ca", ["tls.crt"], /^Secret old-db-ca has no key ca\.crt yet/],
  ] as const) {
    cluster.storageSecrets.set(name, new Set(keys));
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "waiting" && outcome.reason === "Importing", JSON.stringify(outcome));
    assert.match(outcome.message, says);
    cluster.storageSecrets.set(name, new Set(["username", "password", "ca.crt"]));
  }
  assert.equal(cluster.ups.length, 0);
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
});

test("data that are there, or an earlier Database's consensus, are not replaced", async () => {
  const filled = asking();
  filled.lastLook.hasData = true;
  const remembered = asking();
  remembered.lastLook.consensus = ["shop-leader"];
  for (const [cluster, says] of [
    [filled, /no import replaces data: remove spec\.initFrom to continue/],
    [remembered, /ConfigMap shop-leader .* and the import begins/],
  ] as const) {
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === "ImportRefused", JSON.stringify(outcome));
    assert.match(outcome.message, says);
    assert.equal(cluster.ups.length, 0);
  }
});

for (const [policy, keep] of [
  ["Snapshot", "backups"],
  ["Delete", "nothing"],
] as const) {
  test(`${policy}: of one that is deleted before it has its data, no data volume is left`, async () => {
    const cluster = asking();
    await turn(cluster);
    remove(cluster, { ...spec, deletionPolicy: policy });
    cluster.lastLook.hasData = true;
    assert.deepEqual(await turn(cluster), { kind: "gone" });
    assert.deepEqual(cluster.swept, [keep]);
    assert.equal(cluster.ups.length, 1);
  });
}

test("a spec and what is noted of it have the same words", () => {
  const asked = { host: "a", databases: ["b"], credentials: { name: "c" }, tls: { mode: "Verify" } } as const;
  assert.equal(beginningIn({ initFrom: { ...asked, databases: ["b"] } }), beginnings.import);
  assert.equal(beginningIn({ restore: { from: { name: "orders" } } }), beginnings.restore);
  assert.equal(beginningIn({}), undefined);
  assert.equal(beginningOf({ backup: "a", claim: "b", label: "c" }), beginnings.restore);
});

test("the status says where the data came from, for as long as the record does, and of a restore says nothing of it", () => {
  const noted = { uid: "uid-1", isDone: true };
  const place = { host: "old-db", port: 5432, databases: ["shop"], credentials: "old-db", tls: "Verify" } as const;
  const restored = { ...noted, server: place, imported };
  const said = { host: "old-db", port: 5432, databases: ["shop"], ...imported };
  assert.deepEqual([initializedFromOf(restored), restoredFromOf(restored)], [said, undefined]);
  assert.equal(initializedFromOf({ ...restored, isDone: false }), undefined);
  const ofBackup = { ...noted, backup: "a", claim: "b", label: "c" };
  assert.deepEqual([initializedFromOf(ofBackup), restoredFromOf(ofBackup)], [undefined, { backup: "a", label: "c" }]);
});
