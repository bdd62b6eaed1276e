import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../contract/effects";
import type { Consequence } from "../../operator/consequences/consequence";
import { fieldChange } from "../fakes/previewed";
import { effectDifferences, type Seen } from "./effects";
import type { LeafChange } from "./leaves";
import type { ObjectChange } from "./objects";

const members = ["shop-0", "shop-1", "shop-2"];
const one = (effect: Effect, some: Partial<Consequence> = {}): Consequence => ({
  ...{ effect, members: [], message: effect },
  ...some,
});
const said = (consequences: Consequence[], memberNames = members): Parameters<typeof effectDifferences>[0] => ({
  ...{ consequences, memberNames, isHeld: false, asked: [] },
});
const seen = (objects: ObjectChange[] = [], after = members): Seen => ({
  ...{ name: "shop", before: members, after, objects },
});
const updated = (child: string, path: string, [before, after]: readonly [unknown, unknown]): ObjectChange => {
  const field: LeafChange = { path, before, after };
  return { child, operation: "update", fields: [field] };
};
const removed = (child: string): ObjectChange => ({ child, operation: "delete", fields: [] });

const parameters = updated("ConfigMap shop-config", "metadata.annotations.config.postgresql.parameters.work_mem", [
  "4MB",
  "8MB",
]);
const access = updated("ConfigMap shop-config", "metadata.annotations.config.postgresql.pg_hba.3", ["a", "b"]);
const opened = updated("ConfigMap shop-config", "metadata.annotations.config.postgresql.pg_hba.2", [
  "hostssl replication replicator all scram-sha-256",
  "host replication replicator all scram-sha-256",
]);
const mysql = updated("ConfigMap shop-config", "data.member.json.parameters.max_connections", ["1", "2"]);
const count = updated("ConfigMap shop-config", "data.member.json.replicas", [1, 3]);
const commits = updated("ConfigMap shop-config", "metadata.annotations.config.synchronous_mode", [true, false]);
const retention = updated("CronJob shop-backup", "spec.containers.backup.env.BACKUP_RETENTION.value", ["7", "3"]);

test("what the second step of a change shows may have been told, and need not have been", () => {
  const both: Seen = { ...seen(), withLater: [access] };
  for (const consequences of [[], [one("Reload")]]) assert.deepEqual(effectDifferences(said(consequences), both), []);
  assert.match(effectDifferences(said([one("Reload")]), seen()).join(), /nothing shows it/);
});

test("effects that were predicted and show are no difference", () => {
  assert.deepEqual(effectDifferences(said([]), seen([count])), []);
  for (const change of [parameters, access, mysql])
    assert.deepEqual(effectDifferences(said([one("Reload")]), seen([change])), []);
  assert.deepEqual(effectDifferences(said([one("Reload"), one("Exposure")]), seen([commits])), []);
  assert.deepEqual(effectDifferences(said([one("Reload"), one("Exposure")]), seen([opened])), []);
  assert.deepEqual(effectDifferences(said([one("Exposure")]), seen([removed("CronJob shop-backup")])), []);
  assert.deepEqual(effectDifferences(said([one("DataLoss")]), seen([retention])), []);
  assert.deepEqual(effectDifferences(said([]), seen([removed("Secret shop-server-tls")])), []);
  const fewer = said([one("Removal", { members: ["shop-2"] })], members.slice(0, 2));
  assert.deepEqual(effectDifferences(fewer, seen([], members.slice(0, 2))), []);
  const asked = [fieldChange("spec.deletionPolicy", "Retain", "Delete")];
  assert.deepEqual(effectDifferences({ ...said([one("Exposure")]), asked }, seen()), []);
  const off = [fieldChange("spec.tls.mode", "Prefer", "Off")];
  assert.deepEqual(effectDifferences({ ...said([one("Exposure")]), asked: off }, seen()), []);
});

test("an effect that shows and was not predicted is a difference, and one that was and does not show", () => {
  for (const [effect, change] of [
    ["Reload", parameters],
    ["Reload", access],
    ["Exposure", removed("Deployment shop-archive")],
    ["Exposure", { ...opened, child: "ConfigMap shop-other" }],
    ["DataLoss", retention],
    ["DataLoss", removed("PersistentVolumeClaim data-shop-0")],
  ] as const) {
    assert.deepEqual(effectDifferences(said([]), seen([change])), [
      `${effect} was not predicted, and shows in ${change.child}`,
    ]);
    assert.deepEqual(effectDifferences(said([one(effect)]), seen()), [`${effect} was predicted, and nothing shows it`]);
  }
  const more = { ...retention, fields: [{ path: "env.BACKUP_RETENTION.value", before: "3", after: "14" }] };
  assert.deepEqual(effectDifferences(said([]), seen([more])), []);
});

test("members that come and go are those that were predicted", () => {
  assert.deepEqual(effectDifferences(said([], [...members, "shop-3"]), seen()), [
    "the members are shop-0, shop-1, shop-2, predicted were shop-0, shop-1, shop-2, shop-3",
  ]);
  assert.deepEqual(effectDifferences(said([], members.slice(0, 2)), seen([], members.slice(0, 2))), [
    "members that were removed: shop-2, predicted were none",
  ]);
});

test("what waits for a pause to end does not happen", () => {
  const held = [one("Reload", { waitsFor: "spec.paused is true" })];
  const plan = { ...said(held, ["shop-0"]), isHeld: true };
  assert.deepEqual(effectDifferences(plan, seen()), []);
  assert.equal(effectDifferences(plan, seen([parameters])).length, 1);
});
