import assert from "node:assert/strict";
import test from "node:test";
import type { VolumeCause, VolumeLevel, VolumeNote } from "../../contract/volume-note";
import { memberOf } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import type { Condition } from "../api/status";
import type { Desired } from "../domain/desired";
import { growthOf, sizeOf, withGrown, type Growth, type StorageInputs } from "./storage";
import { storageReadiness } from "./storage-ready";

const gibibyte = 2 ** 30;
const now = new Date("2026-01-01T12:00:00Z");

/** Of a volume of so many gibibytes, at its level. */
const noteOf = (level: VolumeLevel, gibibytes = 10, cause?: VolumeCause): VolumeNote => ({
  ...{ level, size: gibibytes * gibibyte, used: (level / 100) * gibibytes * gibibyte, at: "2026-01-01T11:59:00Z" },
  ...(cause !== undefined && { cause }),
});

const inputs = (
  volumes: readonly (VolumeNote | undefined)[],
  some: Partial<Omit<StorageInputs, "spec">> & { spec?: Record<string, unknown> } = {},
): StorageInputs => ({
  spec: specOf(some.spec ?? { storageAutoGrow: { maxSize: "100Gi" } }),
  grown: some.grown,
  members: volumes.map((volume, index) => memberOf(`shop-${index}`, volume === undefined ? {} : { volume })),
  now: some.now ?? now,
});

const told = (growth: Growth): string => ("size" in growth ? `${growth.kind} ${growth.size}` : growth.kind);
const decided = (...args: Parameters<typeof inputs>): string => told(growthOf(inputs(...args)));

const slot: VolumeCause = { kind: "slot", name: "reports", bytes: 3 * gibibyte, walStatus: "extended", active: false };
const logs: VolumeCause = { kind: "binaryLogs", bytes: 3 * gibibyte };

test("a volume that fills up grows by a fifth, by a gibibyte at least, and by no more than is allowed", () => {
  assert.equal(decided([noteOf(0), noteOf(80)]), "due 12Gi");
  const small = { storage: "2Gi", storageAutoGrow: { maxSize: "100Gi" } };
  assert.equal(decided([noteOf(90, 2)], { spec: small }), "due 3Gi");
  assert.equal(decided([noteOf(90)], { spec: { storageAutoGrow: { maxSize: "11Gi" } } }), "due 11Gi");
  assert.equal(decided([noteOf(90)], { spec: { storageAutoGrow: { maxSize: "10Gi" } } }), "limited");
  assert.equal(decided([noteOf(0), undefined]), "enough");
});

test("without a wish to grow it is only said", () => {
  assert.equal(decided([noteOf(100)], { spec: {} }), "unasked");
});

const grown = { size: "12Gi", at: "2026-01-01T10:00:00Z", reason: "full" };

test("what has grown grows again after six hours, or at 95 %, and only once its file system has followed", () => {
  assert.equal(decided([noteOf(80, 10)], { grown }), "following");
  assert.equal(decided([noteOf(90, 12)], { grown }), "paused");
  assert.equal(decided([noteOf(95, 12)], { grown }), "due 15Gi");
  assert.equal(decided([noteOf(80, 12)], { grown, now: new Date("2026-01-01T16:00:00Z") }), "due 15Gi");
});

test("a file system is a little smaller than its volume, and may be of a volume that is not the claim's alone", () => {
  assert.equal(decided([noteOf(80, 9.4)]), "due 12Gi");
  assert.equal(decided([noteOf(80, 200)]), "shared");
});

test("what a slot holds does not grow a volume, however full; binary logs do not until they are not removed", () => {
  assert.equal(decided([noteOf(100, 10, slot)]), "useless");
  assert.equal(decided([noteOf(90, 10, logs)]), "useless");
  assert.equal(decided([noteOf(95, 10, logs)]), "due 12Gi");
  // another member's is full of data
  assert.equal(decided([noteOf(100, 10, slot), noteOf(80)]), "due 12Gi");
  assert.equal(decided([noteOf(80, 10, { kind: "wal", bytes: gibibyte })]), "due 12Gi");
});

test("what waits for object storage does not grow a volume before it is nearly full, and the message says where to look", () => {
  const stuck = (level: VolumeLevel): StorageInputs => {
    const known = inputs([noteOf(level, 10, { kind: "wal", bytes: 4 * gibibyte })]);
    return { ...known, members: known.members.map((member) => ({ ...member, archive: { state: "Waiting" } })) };
  };
  assert.deepEqual(
    [80, 90, 95].map((level) => told(growthOf(stuck(level as VolumeLevel)))),
    ["useless", "useless", "due 12Gi"],
  );
  const said = storageReadiness({ ...stuck(90), refusal: undefined, wanted: 1 }, undefined);
  assert.match(
    said?.message ?? "",
    /4\.0 GiB of that is write-ahead log, which waits for object storage: condition ArchiveReady/,
  );
});

test("the larger one of what is asked for and what was reached is declared", () => {
  assert.equal(sizeOf({ storage: "10Gi" }, grown), "12Gi");
  assert.equal(sizeOf({ storage: "20Gi" }, grown), "20Gi");
  assert.equal(sizeOf({ storage: "10Gi" }, undefined), "10Gi");
  // raised above what was reached: growth continues from there
  assert.equal(
    decided([noteOf(95, 20)], { grown, spec: { storage: "20Gi", storageAutoGrow: { maxSize: "30Gi" } } }),
    "due 24Gi",
  );
});

const desired = (spec: Record<string, unknown>): Desired => ({
  owner: { name: "shop", namespace: "team", uid: "uid-1" },
  spec: specOf(spec),
  ...{ image: "image", config: {}, serviceMonitors: false },
});

test("the backup volume grows as well where it has the size of the data by default, and the same class", () => {
  assert.deepEqual(withGrown(desired({}), { grown }).spec, specOf({ storage: "12Gi" }));
  const apart = { backup: { destination: { volume: { storageClass: "cheap" } } } };
  const volume = { storageClass: "cheap", size: "10Gi" };
  assert.deepEqual(
    withGrown(desired(apart), { grown }).spec,
    specOf({ storage: "12Gi", backup: { destination: { volume } } }),
  );
  const raised = desired({ storage: "12Gi" });
  assert.equal(withGrown(raised, { grown }), raised);
  assert.equal(withGrown(raised, undefined), raised);
});

const said = (
  known: StorageInputs,
  { refusal, before }: { refusal?: string; before?: Condition } = {},
): { readonly status: string; readonly reason: string; readonly message: string } | undefined =>
  storageReadiness({ ...known, refusal, wanted: known.members.length }, before);

test("the condition says how full, of what, and what follows", () => {
  assert.equal(said(inputs([undefined])), undefined);
  assert.deepEqual(said(inputs([noteOf(0)])), {
    ...{ status: "True", reason: "StorageSufficient", message: "no data volume is more than 80 % full" },
  });
  assert.deepEqual(said(inputs([noteOf(0), noteOf(90)], { spec: {} })), {
    ...{ status: "False", reason: "FillingUp" },
    message:
      "the data volume of pod shop-1 is 90 % full (9.0 GiB of 10.0 GiB); raise spec.storage, or have it grow by itself with spec.storageAutoGrow.maxSize",
  });
  assert.deepEqual(said(inputs([noteOf(100, 10, slot)])), {
    ...{ status: "False", reason: "Full" },
    message:
      "the data volume of pod shop-0 is 100 % full (10.0 GiB of 10.0 GiB); 3.0 GiB of that is write-ahead log that replication slot reports holds (not in use, wal_status extended): have its client continue, or drop it: SELECT pg_drop_replication_slot('reports'); a larger volume would fill up as well, so it does not grow",
  });
  const ofMember = noteOf(80, 10, { kind: "slot", name: "shop_2", bytes: 300 * 2 ** 20 });
  assert.match(
    said(inputs([ofMember]))?.message ?? "",
    /300 MiB .* slot shop_2 holds \(not in use\): bring member shop-2 back/,
  );
});

test("the reason says what keeps a volume from growing", () => {
  const reason = (...args: Parameters<typeof said>): string | undefined => said(...args)?.reason;
  assert.equal(reason(inputs([noteOf(95)], { spec: { storageAutoGrow: { maxSize: "10Gi" } } })), "MaxSizeReached");
  assert.equal(reason(inputs([noteOf(100)], { spec: { storageAutoGrow: { maxSize: "10Gi" } } })), "Full");
  assert.equal(reason(inputs([noteOf(95)]), { refusal: "no class" }), "GrowthNotPossible");
  assert.equal(said(inputs([noteOf(90)]), { refusal: "no class" })?.message.endsWith("; no class"), true);
  assert.equal(reason(inputs([noteOf(90, 200)])), "GrowthNotPossible");
  // what would not grow anyway is not held up by its class
  assert.equal(reason(inputs([noteOf(90, 10, slot)]), { refusal: "no class" }), "FillingUp");
});

test("a member that is away may be the one whose volume was full", () => {
  const before: Condition = {
    ...{
      type: "StorageReady",
      status: "False",
      reason: "Full",
      message: "full",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  };
  assert.equal(said(inputs([noteOf(0), undefined]), { before }), before);
  assert.equal(said(inputs([noteOf(0), noteOf(0)]), { before })?.status, "True");
});
