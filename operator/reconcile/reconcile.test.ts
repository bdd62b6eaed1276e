import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf, kept } from "../../test/fakes/checkpoints";
import { changes, databaseObject, FakeCluster } from "../../test/fakes/ports";
import { finalizer } from "../api/lifecycle";
import type { Problem, StackResult } from "../domain/runner";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const quiet = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster): Promise<Outcome> => reconcile(cluster.key, cluster.database, cluster.ports, quiet);
const problem: Problem = { message: "quota exceeded", resource: "StatefulSet shop" };
const state = checkpointOf("StatefulSet shop", "Service shop");
const half = checkpointOf("Service shop");
const failure: StackResult = { kind: "failed", problem, checkpoint: half };

test("a new Database is run once, and not again while nothing changes", async () => {
  const cluster = new FakeCluster();
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 1);
  assert.equal(cluster.ups.at(0)?.stack, "team.shop");
  assert.equal(cluster.record?.history[0]?.revision, 1);
  assert.equal(cluster.record.history[0].summary, "12 created");
});

test("nothing runs for a Database beside another one that has run, or runs, and has the name of one of its Services", async () => {
  const cluster = new FakeCluster();
  const isHeld = async (): Promise<void> => {
    const outcome = await turn(cluster);
    assert.equal(outcome.kind === "stalled" && outcome.reason, "NameConflict");
    assert.deepEqual([cluster.ups.length, cluster.finalizers], [0, []]);
  };
  const other = new FakeCluster();
  await turn(other);
  cluster.neighbors.set("team/shop-ro", { record: other.record });
  await isHeld();
  cluster.neighbors.set("team/shop-ro", {});
  cluster.firstRuns.add("team/shop-ro");
  await isHeld();
  cluster.firstRuns.clear();
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  cluster.neighbors.set("team/shop-ro", { record: other.record });
  cluster.object = databaseObject({ replicas: 5 });
  assert.deepEqual(await turn(cluster), { kind: "settled" }, "what it has, it keeps");
});

test("the finalizer is on before the first run begins", async () => {
  const cluster = new FakeCluster();
  cluster.results = [failure];
  await turn(cluster);
  assert.deepEqual(cluster.finalizers, [finalizer]);
});

for (const [what, change] of [
  ["its spec", (cluster: FakeCluster) => (cluster.object = databaseObject({ replicas: 5 }))],
  [
    "the catalogue's image",
    (cluster: FakeCluster) => (cluster.catalogue = { postgresql: { "17.6": { image: "new" } } }),
  ],
  ["the presence of ServiceMonitors", (cluster: FakeCluster) => (cluster.serviceMonitors = true)],
  [
    "the object itself, re-created under the same name",
    (cluster: FakeCluster) => (cluster.object = databaseObject({}, { uid: "uid-2" })),
  ],
] as const) {
  test(`a change of ${what} is run`, async () => {
    const cluster = new FakeCluster();
    await turn(cluster);
    change(cluster);
    await turn(cluster);
    assert.equal(cluster.ups.length, 2);
    assert.equal(cluster.ups[1]?.checkpoint, state);
    assert.equal(cluster.record?.history[0]?.revision, 2);
  });
}

test("a change of the ConfigMap named by configFrom is run, and spec.config wins over it", async () => {
  const cluster = new FakeCluster(databaseObject({ configFrom: { name: "tuning" }, config: { work_mem: "8MB" } }));
  cluster.configMaps.set("team/tuning", { work_mem: "1MB", jit: "off" });
  await turn(cluster);
  cluster.configMaps.set("team/tuning", { work_mem: "2MB", jit: "on" });
  await turn(cluster);
  assert.deepEqual(
    cluster.ups.map(({ program }) => program.desired.config),
    [
      { work_mem: "8MB", jit: "off" },
      { work_mem: "8MB", jit: "on" },
    ],
  );
});

for (const [reason, object, message] of [
  ["SpecInvalid", databaseObject({ storage: "5GB" }), /spec\.storage/],
  ["SpecInvalid", databaseObject({}, { name: "2fast" }), /metadata\.name/],
  ["VersionUnavailable", databaseObject({ version: "14.5" }), /available: 17\.6, 17\.5/],
  ["ConfigSourceMissing", databaseObject({ configFrom: { name: "nowhere" } }), /ConfigMap nowhere/],
  ["ParameterReserved", databaseObject({ config: { port: "1" } }), /port is reserved/],
  ["ParameterReserved", databaseObject({ config: { huge: "1" } }), /huge finds no room/],
  ["Paused", databaseObject({ paused: true }), /paused/],
] as const) {
  test(`${reason}: nothing runs and the message says what to do (${JSON.stringify(object.spec)})`, async () => {
    const cluster = new FakeCluster(object);
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === reason, JSON.stringify(outcome));
    assert.match(outcome.message, message);
    assert.equal(cluster.ups.length, 0);
    assert.deepEqual(cluster.finalizers, []);
  });
}

test("what the server in the catalogue's image cannot do is not started, whether the spec or its ConfigMap asks for it", async () => {
  const limits = { replicas: 1, config: false } as const;
  for (const [spec, message] of [
    [{ replicas: 2 }, /^spec\.replicas: the image of postgresql 17\.6 runs one member at most: write 1$/],
    [{ replicas: 1, configFrom: { name: "tuning" } }, /^spec\.config: .* takes no parameters: remove jit$/],
  ] as const) {
    const cluster = new FakeCluster(databaseObject(spec));
    cluster.catalogue = { postgresql: { "17.6": { image: "small", limits } } };
    cluster.configMaps.set("team/tuning", { jit: "off" });
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === "ImageLimited", JSON.stringify(outcome));
    assert.match(outcome.message, message);
    assert.equal(cluster.ups.length, 0);
  }
});

test("a library that the catalogue's image lacks starts no run until the catalogue names it", async () => {
  const cluster = new FakeCluster(databaseObject({ config: { audit: "on" } }));
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ParameterReserved", JSON.stringify(outcome));
  assert.match(outcome.message, /the image does not have audit/);
  cluster.catalogue = { postgresql: { "17.6": { image: "own", libraries: ["audit"] } } };
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
});

test("a foreign object under a child's name stalls the first run and is left alone", async () => {
  const cluster = new FakeCluster();
  cluster.conflicts = ["Service shop"];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "NameConflict");
  assert.match(outcome.message, /Service shop/);
  assert.equal(cluster.ups.length, 0);
});

for (const [version, kind] of [
  ["17.7", "settled"],
  ["17.5", "stalled"],
  ["18.0", "stalled"],
] as const) {
  test(`from 17.6 to ${version} is ${kind}`, async () => {
    const cluster = new FakeCluster();
    await turn(cluster);
    cluster.catalogue = { postgresql: { [version]: { image: "other" } } };
    cluster.object = databaseObject({ version });
    const outcome = await turn(cluster);
    assert.equal(outcome.kind, kind);
    assert.ok(outcome.kind !== "stalled" || outcome.reason === "UpgradeUnsupported");
    assert.equal(cluster.ups.length, kind === "settled" ? 2 : 1);
  });
}

test("a failed run keeps what it did, says why, and the next one looks at the cluster first", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({ replicas: 5 });
  cluster.results = [failure];
  assert.deepEqual(await turn(cluster), {
    kind: "failed",
    reason: "RunFailed",
    message: "StatefulSet shop: quota exceeded",
  });
  assert.equal(cluster.record?.checkpoint?.text(), half);
  assert.equal(cluster.record.history[0]?.revision, 1);
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups[2]?.refresh, true);
});

for (const [kind, reason] of [
  ["timedOut", "RunTimedOut"],
  ["refused", "ReplaceRefused"],
] as const) {
  test(`a run that ended as ${kind} and left no state keeps the previous one, and says ${reason}`, async () => {
    const cluster = new FakeCluster();
    await turn(cluster);
    cluster.object = databaseObject({ replicas: 5 });
    cluster.results = [{ kind, problem, checkpoint: undefined }];
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "failed" && outcome.reason === reason);
    assert.equal(cluster.record?.checkpoint?.text(), state);
  });
}

test("a state that cannot be read is rebuilt by adoption, with the same passwords", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  const passwords = cluster.passwordsOfRecord;
  cluster.object = databaseObject({ replicas: 5 });
  cluster.results = [{ kind: "corrupt", problem }];
  cluster.claimTemplateStorage = "5Gi";
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups[2]?.program.claimTemplateStorage, "5Gi");
  assert.equal(cluster.ups[2].checkpoint, undefined);
  assert.equal(cluster.ups[2].program.passwords.app, passwords);
});

test("deletion destroys once, waits until everything is gone, and only then lets the object go", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer, "other"] });
  cluster.leftovers = [["Pod shop-0"]];
  const first = await turn(cluster);
  assert.ok(first.kind === "waiting" && first.message.includes("Pod shop-0"));
  assert.deepEqual(cluster.finalizers, [finalizer, "other"]);
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 1);
  assert.deepEqual(cluster.finalizers, ["other"]);
  assert.equal(cluster.record, undefined);
});

test("deletion with a spec that no longer parses destroys all the same and keeps the data", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject(
    { version: 17, deletionPolicy: "Burn" },
    { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] },
  );
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 1);
  assert.deepEqual(cluster.swept, ["all data"]);
  assert.equal(cluster.passwordsOfRecord, "secret");
});

test("deletionPolicy Delete, as it stands at that moment, removes data and passwords", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject(
    { deletionPolicy: "Delete" },
    { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] },
  );
  await turn(cluster);
  assert.deepEqual(cluster.swept, ["nothing"]);
  assert.equal(cluster.passwordsOfRecord, undefined);
});

test("a run that changed nothing still counts as a change of the record", async () => {
  const cluster = new FakeCluster();
  cluster.results = [{ kind: "succeeded", changes: changes({ unchanged: 3 }), checkpoint: state, workload: undefined }];
  await turn(cluster);
  assert.equal(cluster.record?.history[0]?.summary, "3 unchanged");
});

test("a run writes its record once, and a turn without a run not at all", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  assert.equal(cluster.saves, 1);
  await turn(cluster);
  assert.equal(cluster.saves, 1);
  cluster.object = databaseObject({ replicas: 5 });
  cluster.results = [failure];
  await turn(cluster);
  assert.equal(cluster.saves, 2);
});

test("a turn that only looks runs nothing and says that a run is due", async () => {
  const cluster = new FakeCluster();
  const look = (): Promise<Outcome> =>
    reconcile(cluster.key, cluster.database, cluster.ports, { ...quiet, looksOnly: true });
  assert.deepEqual(await look(), { kind: "due" });
  assert.deepEqual([cluster.ups.length, cluster.finalizers.length], [0, 0]);
  await turn(cluster);
  assert.deepEqual(await look(), { kind: "settled" });
  cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
  assert.deepEqual(await look(), { kind: "due" });
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.saves, 1);
});

test("a finalizer that was removed by hand is restored", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject();
  assert.deepEqual(cluster.finalizers, []);
  await turn(cluster);
  assert.deepEqual(cluster.finalizers, [finalizer]);
  assert.equal(cluster.ups.length, 1);
});

test("a state that cannot be read is not rebuilt over another client's object", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({ replicas: 5 });
  cluster.results = [{ kind: "corrupt", problem }];
  cluster.conflictsWithoutState = ["Service shop"];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "failed" && outcome.message.includes("Service shop"));
  assert.equal(cluster.ups.length, 2);
  assert.equal(cluster.record?.checkpoint?.text(), state);
});

test("a state of another stack is not used: it is rebuilt by adoption", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  assert.ok(cluster.record);
  cluster.record = { ...cluster.record, checkpoint: kept(state.replaceAll("team.shop::", "team.other::")) };
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 2);
  assert.equal(cluster.ups[1]?.checkpoint, undefined);
});

test("history keeps the newest revisions and no more", async () => {
  const cluster = new FakeCluster();
  for (let change = 0; change < 25; change++) {
    cluster.object = databaseObject({ config: { work_mem: `${change}MB` } });
    await turn(cluster);
  }
  assert.equal(cluster.record?.history.length, 20);
  assert.equal(cluster.record.history[0]?.revision, 25);
});
