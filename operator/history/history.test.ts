import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject, memberOf } from "../../test/fakes/ports";
import { mostRevisions } from "../api/revisions/limits";
import type { DatabaseRevision } from "../api/revisions/object";
import type { RevisionStatus } from "../api/revisions/status";
import type { Observation } from "../domain/members";
import { ObservedDatabase } from "../domain/observed-database";
import { settled, stalled, waiting, type Outcome } from "../domain/outcome";
import type { Revision } from "../domain/records";
import { createHistoryController } from "./controller";
import type { NewRevision } from "./ports";

const key = "team/shop";

const entry = (revision: number, some: Partial<Revision> = {}): Revision => ({
  ...{ revision, at: `2026-11-27T14:0${revision % 10}:00.000Z`, seconds: 1.4, digest: `d${revision}` },
  ...{ summary: "1 updated", by: "kubectl", generation: revision },
  told: { origin: "Spec", changes: [], template: { engine: "postgresql", replicas: revision } },
  ...some,
});

/** An API server of one Database, with a watch that may lag. */
class Cluster {
  stored: DatabaseRevision[] = [];
  shown: DatabaseRevision[] | undefined = [];
  lags = false;
  /** Whether successive creations are answered; those that are not may have arrived. */
  answers: boolean[] = [];
  /** Whether any can be made. */
  takes = true;
  history: Revision[] = [];
  outcome: Outcome | undefined = settled();
  isAtWork = false;
  database: ObservedDatabase | undefined = new ObservedDatabase(databaseObject());
  observation: Observation = {
    workload: { uid: "w", generation: 1, wanted: 2, seen: true, revision: "new" },
    members: [memberOf("shop-0", { role: "primary" }), memberOf("shop-1")],
    jobs: [],
  };
  now = new Date("2026-11-27T14:10:00Z");
  writes = 0;
  readonly errors: unknown[] = [];
  #version = 1;

  /** Another operator: it knows nothing but what there is. */
  start(): () => Promise<string> {
    const work = createHistoryController(
      {
        revisions: () => this.shown,
        database: () => this.database,
        observe: () => this.observation,
        record: () => ({ uid: "uid-1", history: this.history }),
        outcome: () => this.outcome,
        isAtWork: () => this.isAtWork,
        now: () => this.now,
        writes: {
          create: (made) => (this.takes ? this.#create(made) : Promise.resolve(false)),
          remove: ({ metadata }) => {
            this.#change(this.stored.filter((one) => one.metadata.name !== metadata.name));
            return Promise.resolve();
          },
          writeStatus: ({ metadata }, after) => {
            const found = this.stored.find((one) => one.metadata.name === metadata.name);
            if (found === undefined) return Promise.resolve(undefined);
            const version = String(++this.#version);
            const status = after(found.status);
            const written = { ...found, status, metadata: { ...found.metadata, resourceVersion: version } };
            this.#change(this.stored.map((one) => (one === found ? written : one)));
            return Promise.resolve({ version, status });
          },
        },
      },
      { onError: (_key, error) => void this.errors.push(error) },
    );
    return async () => (await work(key)).kind;
  }

  #create({ namespace, name, owner, spec }: NewRevision): Promise<boolean> {
    const [answers = true, ...rest] = this.answers;
    this.answers = rest;
    if (!this.stored.some(({ metadata }) => metadata.name === name)) {
      const metadata = {
        name,
        namespace,
        uid: `uid of ${name}`,
        resourceVersion: String(++this.#version),
        creationTimestamp: "",
      };
      this.#change([
        ...this.stored,
        { metadata: { ...metadata, ownerReferences: [] }, owner: owner.uid, spec, status: {} },
      ]);
    }
    return answers ? Promise.resolve(true) : Promise.reject(new Error("the connection broke"));
  }

  #change(stored: DatabaseRevision[]): void {
    this.writes++;
    this.stored = stored;
    if (!this.lags && this.shown !== undefined) this.shown = stored;
  }

  numbers(): number[] {
    return this.stored.map(({ spec }) => spec.revision);
  }

  status(revision: number): RevisionStatus | undefined {
    return this.stored.find(({ spec }) => spec.revision === revision)?.status;
  }
}

/** A cluster after so many changes, each with its turns. */
async function after(changes: number): Promise<{ readonly cluster: Cluster; readonly turn: () => Promise<string> }> {
  const cluster = new Cluster();
  const turn = cluster.start();
  for (let revision = 1; revision <= changes; revision++) {
    cluster.history = [entry(revision), ...cluster.history].slice(0, mostRevisions);
    for (let turns = 0; turns < 3; turns++) await turn();
  }
  return { cluster, turn };
}

test("a change becomes an object, whose status says what came of it; then nothing is written", async () => {
  const { cluster, turn } = await after(1);
  const [made] = cluster.stored;
  assert.deepEqual([made?.metadata.name, made?.owner], ["shop-uid-1-1", "uid-1"]);
  assert.deepEqual(made?.spec.template, { engine: "postgresql", replicas: 1 });
  assert.deepEqual([made.spec.manager, made.spec.runSeconds], ["kubectl", 1]);
  const { result, seconds, completedAt, primary } = cluster.status(1) ?? {};
  assert.deepEqual([result, seconds, completedAt, primary], ["Complete", 541, "2026-11-27T14:10:00Z", "shop-0"]);
  const before = cluster.writes;
  for (let turns = 0; turns < 5; turns++) assert.equal(await turn(), "forget");
  assert.equal(cluster.writes, before);
});

test("what an operator did not make before it ended, its successor makes, each once and in order", async () => {
  const { cluster } = await after(1);
  cluster.history = [entry(3), entry(2), ...cluster.history];
  const successor = cluster.start();
  await successor();
  assert.deepEqual(cluster.numbers(), [1, 2, 3]);
});

test("a creation whose answer was lost, and a watch that lags, make none twice", async () => {
  const { cluster, turn } = await after(1);
  [cluster.lags, cluster.answers] = [true, [false]];
  cluster.history = [entry(2), ...cluster.history];
  assert.equal(await turn(), "retry");
  assert.equal(await turn(), "forget");
  assert.deepEqual([cluster.numbers(), cluster.errors.length], [[1, 2], 1]);
});

test("nothing is made before it is known what there is, of a Database that is deleted, or of another one of the name", async () => {
  const { cluster, turn } = await after(1);
  cluster.history = [entry(2), ...cluster.history];
  const { shown, database } = cluster;
  cluster.shown = undefined;
  await turn();
  cluster.shown = shown;
  cluster.database = new ObservedDatabase(databaseObject({}, { deletionTimestamp: "2026-11-27T14:00:00Z" }));
  await turn();
  cluster.database = new ObservedDatabase(databaseObject({}, { uid: "uid-2" }));
  await turn();
  assert.deepEqual(cluster.numbers(), [1]);
  cluster.database = database;
  await turn();
  assert.deepEqual(cluster.numbers(), [1, 2]);
});

test("there are at most so many, and one that a person deleted does not come back", async () => {
  const { cluster, turn } = await after(mostRevisions + 3);
  await turn();
  assert.equal(cluster.stored.length, mostRevisions);
  assert.equal(Math.min(...cluster.numbers()), 4);
  cluster.stored = cluster.shown = cluster.stored.filter(({ spec }) => spec.revision !== 22);
  await turn();
  assert.ok(!cluster.numbers().includes(22));
});

test("a change that another one overtakes is superseded, and says so once", async () => {
  const { cluster, turn } = await after(1);
  cluster.outcome = waiting("Restarting", "restarting shop-1", 1000);
  cluster.history = [entry(2, { restarts: "max_connections 100 → 150" }), ...cluster.history];
  await turn();
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
  cluster.history = [entry(3), ...cluster.history];
  await turn();
  await turn();
  assert.deepEqual(cluster.status(2), { ...cluster.status(2), result: "Superseded", completedAt: entry(3).at });
  assert.equal(cluster.status(1)?.result, "Complete");
});

test("of changes that are made in one turn the newest one tells what happened to members, and none before it stays in progress", async () => {
  const { cluster } = await after(1);
  cluster.outcome = waiting("Restarting", "restarting shop-1", 1000);
  cluster.history = [entry(2), ...cluster.history];
  const first = cluster.start();
  for (let turns = 0; turns < 2; turns++) await first();
  assert.equal(cluster.status(2)?.result, "Progressing");
  const restarts = "max_connections 100 → 150";
  cluster.history = [entry(4, { restarts }), entry(3), ...cluster.history];
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: "2", revision: "newer" }] };
  const second = cluster.start();
  cluster.lags = true;
  await second();
  cluster.shown = cluster.stored;
  for (let turns = 0; turns < 3; turns++) await second();
  cluster.shown = cluster.stored;
  const results = [1, 2, 3].map((revision) => cluster.status(revision)?.result);
  assert.deepEqual(results, ["Complete", "Superseded", "Superseded"]);
  assert.equal(cluster.status(2)?.completedAt, entry(3).at);
  assert.deepEqual([cluster.status(4)?.restarted, cluster.status(4)?.incidents?.[0]?.member], [1, "shop-1"]);
  const before = cluster.writes;
  for (let turns = 0; turns < 3; turns++) await second();
  assert.equal(cluster.writes, before);
});

test("what a run does to members before it is on record is told of its own change", async () => {
  const { cluster, turn } = await after(1);
  cluster.isAtWork = true;
  const { observation } = cluster;
  const { workload, members } = observation;
  const [zero, one] = members;
  assert.ok(workload && zero && one);
  const grown = [zero, { ...one, uid: "2", revision: "newer" }, memberOf("shop-2", { revision: "newer" })];
  cluster.observation = { ...observation, workload: { ...workload, wanted: 3 }, members: grown };
  const before = cluster.writes;
  await turn();
  assert.equal(cluster.writes, before);
  cluster.isAtWork = false;
  cluster.history = [entry(2, { restarts: "replicas" }), ...cluster.history];
  for (let turns = 0; turns < 3; turns++) await turn();
  assert.equal(cluster.status(1)?.incidents, undefined);
  assert.deepEqual(
    cluster.status(2)?.incidents?.map(({ kind, member, why }) => [kind, member, ...why].join(" | ")),
    ["Restarted | shop-1 | revision 2: replicas", "Added | shop-2 | revision 2: replicas"],
  );
});

test("a change that is complete is not why the StatefulSet is another one later", async () => {
  const { cluster, turn } = await after(1);
  const { workload, members } = cluster.observation;
  assert.ok(workload);
  cluster.observation = { ...cluster.observation, workload: { ...workload, wanted: 1 }, members: members.slice(0, 1) };
  await turn();
  const [removed] = cluster.status(1)?.incidents ?? [];
  assert.deepEqual([removed?.kind, removed?.member], ["Removed", "shop-1"]);
  assert.match(removed?.why.join() ?? "", /not by a change that is on record/);
});

test("where none can be made now, it is tried again after growing pauses", async () => {
  const { cluster, turn } = await after(1);
  cluster.takes = false;
  cluster.history = [entry(2), ...cluster.history];
  assert.equal(await turn(), "retry");
  assert.deepEqual(cluster.errors, []);
});

test("a change is complete although a later edit waits, or cannot be had", async () => {
  for (const reason of ["ChangePending", "SpecInvalid"] as const) {
    const { cluster, turn } = await after(1);
    cluster.outcome = { ...stalled(reason, "a later edit"), meanwhile: waiting("Restarting", "restarting", 1000) };
    cluster.history = [entry(2), ...cluster.history];
    for (let turns = 0; turns < 2; turns++) await turn();
    assert.equal(cluster.status(2)?.result, "Progressing");
    cluster.outcome = { ...stalled(reason, "a later edit"), isKept: true };
    await turn();
    assert.equal(cluster.status(2)?.result, "Complete");
  }
});

test("a rollout that stops says why, and is complete once it has continued", async () => {
  const { cluster, turn } = await after(1);
  cluster.outcome = stalled("ConfigRejected", "shop-1 does not start");
  cluster.history = [entry(2), ...cluster.history];
  await turn();
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.message], ["Stopped", "shop-1 does not start"]);
  cluster.outcome = settled();
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.message], ["Complete", undefined]);
});

test("it is not complete while a member is not ready", async () => {
  const { cluster, turn } = await after(1);
  const { observation } = cluster;
  cluster.observation = {
    ...observation,
    members: [memberOf("shop-0", { role: "primary" }), memberOf("shop-1", { ready: false })],
  };
  cluster.history = [entry(2), ...cluster.history];
  await turn();
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
});

test("restarts and the interruption of a change are counted, over the crash of an operator, and later ones are not its own", async () => {
  const { cluster } = await after(1);
  const restarts = "version 17.11 → 17.12";
  cluster.outcome = waiting("Restarting", "restarting", 1000);
  cluster.history = [entry(2, { restarts }), ...cluster.history];
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  const see = async (turn: () => Promise<string>, members: Observation["members"], at: string): Promise<void> => {
    cluster.observation = { ...cluster.observation, members };
    cluster.now = new Date(at);
    await turn();
    await turn();
  };
  const newer = { ...one, uid: "2", revision: "newer" };
  const first = cluster.start();
  await see(first, [zero, newer], "2026-11-27T14:20:00Z");
  await see(first, [{ ...zero, terminating: true }, newer], "2026-11-27T14:20:10Z");
  const second = cluster.start();
  const back = { ...zero, uid: "3", revision: "newer", role: "replica" } as const;
  cluster.outcome = settled();
  await see(second, [back, { ...newer, role: "primary" }], "2026-11-27T14:20:13Z");
  const { restarted, interruptionSeconds, incidents = [], result } = cluster.status(2) ?? {};
  assert.deepEqual([restarted, interruptionSeconds, result], [2, 3, "Complete"]);
  assert.deepEqual(
    incidents.map(({ kind, member }) => `${kind} ${member ?? ""}`),
    ["Restarted shop-1", "Restarted shop-0", "Interrupted shop-0", "Promoted shop-1"],
  );
  assert.deepEqual(incidents.at(-1)?.why, ["shop-0, which led, was restarted", `revision 2: ${restarts}`]);
  await see(
    second,
    [
      { ...back, uid: "4" },
      { ...newer, role: "primary" },
    ],
    "2026-11-27T15:00:00Z",
  );
  assert.deepEqual([cluster.status(2)?.restarted, cluster.status(2)?.incidents?.length], [2, 5]);
});

test("a watch that lags does not tell an incident twice", async () => {
  const { cluster, turn } = await after(1);
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  cluster.lags = true;
  cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: "2" }] };
  await turn();
  await turn();
  assert.equal(cluster.status(1)?.incidents?.length, 1);
});

test("a pod that only has a member's labels is none, however it is called", async () => {
  const { cluster, turn } = await after(1);
  const others = ["x".repeat(200), "shop-backup-1", "shop-a-0"].map((name) => memberOf(name));
  cluster.observation = { ...cluster.observation, members: [...others, ...cluster.observation.members] };
  const before = cluster.writes;
  await turn();
  assert.equal(cluster.writes, before);
});

test("a creation is no news of members, and incidents have a bound", async () => {
  const { cluster, turn } = await after(1);
  assert.equal(cluster.status(1)?.incidents, undefined);
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  for (let uid = 0; uid < 50; uid++) {
    cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: String(uid) }] };
    await turn();
  }
  assert.equal(cluster.status(1)?.incidents?.length, 40);
});
