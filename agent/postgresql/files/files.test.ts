// Members judge by what they find, in whatever order they start: no operator, and none of the others, is needed for it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { ApiError } from "../../kubernetes/client";
import { identifierOf, keptAt, noteExchange, placesOn, type Places } from "../upgrade/volume";
import { ClusterRecord } from "./cluster-record";
import { stepOf, type FilesFound } from "./decide";
import { untilMayStart } from "./main";

const [former, present] = ["15015", "17017"];
const files = { 15: { major: "15", identifier: former }, 17: { major: "17", identifier: present } };
const forth = { from: "15", to: "17", former, present };
const back = { from: "17", to: "15", former: present, present: former };

const found = (some: Partial<FilesFound>): FilesFound => ({
  ...{ server: "17", data: files[17], kept: [], exchange: undefined, initialized: present, hasLeader: true },
  ...some,
});

const cases: readonly (readonly [what: string, Partial<FilesFound>, step: string])[] = [
  ["all as ever", {}, "start"],
  ["a new member", { data: undefined }, "start"],
  ["a new cluster", { data: undefined, initialized: undefined }, "start"],
  ["exchanged, and the former cluster counts", { exchange: forth, initialized: former }, "announce 15015 17017"],
  ["exchanged and announced", { exchange: forth }, "start"],
  ["exchanged, and a third cluster counts", { exchange: forth, initialized: "1" }, "start"],
  ["exchanged, and none counts", { exchange: forth, initialized: undefined }, "start"],
  [
    "a note of files that are not these",
    { exchange: forth, data: { major: "17", identifier: "1" }, initialized: former },
    "start",
  ],
  ["taken back", { server: "15", data: files[15], exchange: back, kept: [files[17]] }, "announce 17017 15015"],
  ["taken back, and announced", { server: "15", data: files[15], exchange: back, initialized: former }, "start"],
  ["a replica of before, announced", { data: files[15] }, "move aside 15"],
  ["a replica of before, not announced yet", { data: files[15], initialized: former }, "wait"],
  ["the same, and nothing is known", { data: files[15], initialized: undefined }, "wait"],
  ["a replica on the way back", { server: "15", kept: [files[15]], initialized: former }, "move aside 17, takes up 15"],
  ["the same, of which others are kept", { data: files[15], kept: [files[15]] }, "wait"],
  [
    "a replica on the way back, and none leads yet",
    { server: "15", kept: [files[15]], initialized: former, hasLeader: false },
    "wait",
  ],
  [
    "the first member on the way back, and none leads yet",
    { server: "15", kept: [files[15]], initialized: former, exchange: back, hasLeader: false },
    "move aside 17, takes up 15",
  ],
  [
    "none but files that are kept, and nothing is known",
    { server: "15", data: undefined, kept: [files[15]], initialized: undefined },
    "wait",
  ],
  [
    "none but files that are kept of another cluster",
    { server: "15", data: undefined, kept: [{ major: "15", identifier: "1" }], initialized: former },
    "start",
  ],
  [
    "the way back, with kept files of another cluster",
    { server: "15", kept: [{ major: "15", identifier: "1" }], initialized: former },
    "move aside 17",
  ],
  [
    "killed between both renames",
    { server: "15", data: undefined, kept: [files[15], files[17]], initialized: former },
    "move aside , takes up 15",
  ],
];

function wordsOf(of: FilesFound): string {
  const step = stepOf(of);
  if (step.kind === "announce") return `announce ${step.former} ${step.present}`;
  if (step.kind !== "move aside") return step.kind;
  return `move aside ${step.major}${step.takesUp === undefined ? "" : `, takes up ${step.takesUp}`}`;
}

for (const [what, some, step] of cases) {
  test(`${what}: ${step}`, () => {
    assert.equal(wordsOf(found(some)), step);
  });
}

/** A member's volume with files of this version, and of those that are kept. */
async function volumeWith(t: TestContext, data: 15 | 17, kept?: 15 | 17): Promise<Places> {
  const places = placesOn(join(await mkdtemp(join(tmpdir(), "files-")), "pgdata"));
  t.after(() => rm(places.volume, { recursive: true }));
  const make = async (path: string, { major, identifier }: { major: string; identifier: string }): Promise<void> => {
    await mkdir(join(path, "global"), { recursive: true });
    await writeFile(join(path, "PG_VERSION"), `${major}\n`);
    const control = Buffer.alloc(512);
    control.writeBigUInt64LE(BigInt(identifier));
    control.writeBigUInt64LE(5_000_000n, 32);
    await writeFile(join(path, "global", "pg_control"), control);
  };
  await make(places.data, files[data]);
  if (kept !== undefined) await make(keptAt(places.data, String(kept)), files[kept]);
  return places;
}

type Annotations = Record<string, string>;

/** Patroni's record, at which others write as well. */
class FakeRecord {
  version = 1;
  refusals = 0;
  /** What was changed, in its order. */
  readonly changed: string[] = [];
  readonly objects: Readonly<Record<string, Annotations>>;
  constructor(initialize: string, sync: Annotations = {}) {
    const lease = { leader: "orders-1", optime: "99999999999", failsafe: '{"orders-1":"a","orders-2":"b"}' };
    this.objects = { config: { initialize }, leader: lease, sync };
  }
  get initialize(): string | undefined {
    return this.objects["config"]?.["initialize"];
  }
  readonly client = {
    get: (path: string) =>
      Promise.resolve({ metadata: { resourceVersion: String(this.version), annotations: { ...this.objects[path] } } }),
    patch: (path: string, change: unknown) => {
      if (this.refusals-- > 0) return Promise.reject(new ApiError(409, "conflict"));
      const { metadata } = change as { metadata: { annotations: Record<string, string | null> } };
      const object = this.objects[path] ?? {};
      for (const [key, value] of Object.entries(metadata.annotations))
        if (value === null) Reflect.deleteProperty(object, key);
        else object[key] = value;
      this.changed.push(path);
      return Promise.resolve({});
    },
  };
  readonly record = new ClusterRecord(this.client, { config: "config", leader: "leader", sync: "sync" });
}

const self = "orders-0";
const quiet = (): void => undefined;
const notes = { write: () => Promise.resolve() };

test("whichever member starts first, the replica waits for the first member's word, keeps its files aside, and begins as a new one", async (t) => {
  const config = new FakeRecord(former);
  const cluster = config.record;
  const [first, replica] = [await volumeWith(t, 17, 15), await volumeWith(t, 15)];
  await noteExchange(first, forth);
  const states: string[] = [];
  let looks = 0;
  const waits = untilMayStart({
    ...{ self: "orders-1", places: replica, server: "17", cluster, log: quiet },
    notes: { write: ({ state, message }) => (states.push(`${state}: ${message ?? ""}`), Promise.resolve()) },
    pause: async () => {
      if (looks++ === 2) await untilMayStart({ self, places: first, server: "17", cluster, notes, log: quiet });
    },
  });
  await waits;
  assert.equal(config.initialize, present);
  assert.match(states[0] ?? "", /^undecided: the files are of PostgreSQL 15, and the server is of 17/);
  assert.deepEqual((await readdir(replica.volume)).sort(), ["pgdata-15"]);
  assert.deepEqual((await readdir(first.volume)).sort(), [".exchange", "pgdata", "pgdata-15"]);
});

test("on the way back a replica takes its former files up again", async (t) => {
  const cluster = new FakeRecord(former).record;
  const replica = await volumeWith(t, 17, 15);
  await untilMayStart({ self: "orders-1", places: replica, server: "15", cluster, notes, log: quiet });
  assert.deepEqual((await readdir(replica.volume)).sort(), ["pgdata", "pgdata-17"]);
  assert.equal(await identifierOf(replica.data), former);
});

test("what another client wrote meanwhile is read again, and an API that does not answer is waited for", async (t) => {
  const config = new FakeRecord(former);
  config.refusals = 2;
  const first = await volumeWith(t, 17);
  await noteExchange(first, forth);
  let away = 2;
  const get = (path: string): Promise<unknown> =>
    away-- > 0 ? Promise.reject(new Error("away")) : config.client.get(path);
  const cluster = new ClusterRecord({ ...config.client, get }, { config: "config", leader: "leader", sync: "sync" });
  const said: string[] = [];
  const pause = (): Promise<void> => Promise.resolve();
  await untilMayStart({ self, places: first, server: "17", cluster, notes, log: (text) => said.push(text), pause });
  assert.equal(config.initialize, present);
  assert.equal(said[0], "away");
});

test("only exactly the former cluster is replaced, whatever was read before", async () => {
  const config = new FakeRecord("1");
  assert.equal(await config.record.replace(former, present, { member: self, checkpoint: "5" }), false);
  assert.equal(config.initialize, "1");
  assert.deepEqual(config.changed, []);
});

test("before its cluster counts, the first member alone may lead, with what it has: the former one wrote further than that", async (t) => {
  const config = new FakeRecord(present, { leader: "orders-1", sync_standby: "orders-2", quorum: "1" });
  const first = await volumeWith(t, 15, 17);
  await noteExchange(first, back);
  await untilMayStart({ self, places: first, server: "15", cluster: config.record, notes, log: quiet });
  assert.deepEqual(config.changed, ["leader", "sync", "config"]);
  assert.deepEqual(config.objects, {
    config: { initialize: former },
    leader: { optime: "5000000", failsafe: '{"orders-0":""}' },
    sync: { leader: "orders-0" },
  });
});

test("where commits wait for no other member, that stays so", async () => {
  const config = new FakeRecord(former);
  await config.record.replace(former, present, { member: self, checkpoint: "5" });
  assert.deepEqual(config.changed, ["leader", "config"]);
});
