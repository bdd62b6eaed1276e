import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";

const plugin = (line: string, some: Partial<FakeCluster> = {}): Promise<Ended> =>
  runPlugin(line, { cluster: fakeCluster({ objects: everything, ...some }) });

const backups = everything.filter(({ kind }) => kind === "DatabaseBackup");

/** `orders` with another status and spec. */
const changed = (status: object, spec: object = {}): Stored => ({
  ...withSpec(orders, spec),
  status: { ...z.looseObject({}).parse(orders["status"]), ...status },
});

const off = { backup: { enabled: false } };
const windows: Readonly<Record<string, readonly [objects: readonly Stored[], said: RegExp]>> = {
  "any moment, where changes are kept": [
    [orders, ...backups],
    /can be restored to any moment since 2026-11-20 02:04 UTC\n/,
  ],
  "the moments of backups, where they are not": [
    [changed({ recoverableFrom: undefined }), ...backups],
    /can be restored to the moments of its 3 backups, the oldest of 2026-11-20 02:04 UTC\n/,
  ],
  "nothing yet": [
    [changed({ recoverableFrom: undefined })],
    /cannot be restored: there is no backup yet\nNo backups found\.\n/,
  ],
  "nothing, where backups are off": [
    [changed({ recoverableFrom: undefined }, off)],
    /cannot be restored: backups are off\n/,
  ],
};
for (const [what, [objects, said]] of Object.entries(windows)) {
  test(`a restore leads to ${what}`, async () => {
    assert.match((await plugin("backups orders", { objects })).out, said);
  });
}

test("a failed backup, and one that a drill found damaged, do not look like others", async () => {
  const [first, ...others] = backups;
  assert.ok(first);
  const status = {
    ...z.looseObject({}).parse(first["status"]),
    verification: { at: "2026-11-27T03:00:00Z", succeeded: false, message: "torn" },
  };
  const { out } = await plugin("backups orders", { objects: [orders, { ...first, status }, ...others] });
  assert.match(out, /orders-29401560 .*DAMAGED/);
  assert.match(out, /orders-29398680 +Failed /);
});

test("a backup that a drill found damaged restores nothing", async () => {
  const verification = { at: "2026-11-27T03:00:00Z", succeeded: false, message: "torn" };
  const damaged = backups.map((one) => ({
    ...one,
    status: { ...z.looseObject({}).parse(one["status"]), verification },
  }));
  const objects = [changed({ recoverableFrom: undefined }), ...damaged];
  const { out } = await plugin("backups orders", { objects });
  assert.match(out, /^shop\/orders {3}cannot be restored: drills found its backups damaged\n/);
  assert.match((await plugin("status orders", { objects })).out, /\nBackup .* damaged, as a restore drill found/);
});

test("what is wrong with backups is said above them", async () => {
  const condition = {
    type: "ArchiveReady",
    status: "False",
    reason: "ArchiveGap",
    message: "16 segments were given up",
  };
  const conditions = [{ ...condition, lastTransitionTime: "2026-11-27T14:00:00Z" }];
  const { out } = await plugin("backups orders", { objects: [changed({ conditions }), ...backups] });
  assert.match(out, /^shop\/orders .*\nArchiveReady: ArchiveGap: 16 segments were given up\nNAME /);
});

test("backups outlive their Database, and a name that never was is an error", async () => {
  const { code, out } = await plugin("backups orders", { objects: backups });
  assert.match(out, /^The Database orders does not exist any more; these are left of it\.\nNAME /);
  assert.equal(code, 0);
  const { code: none, err } = await plugin("backups ordres");
  assert.match(err, /did you mean orders\?/);
  assert.equal(none, 2);
});

test("without a name those of all Databases are told, the newest first", async () => {
  const { out } = await plugin("backups -A --no-headers");
  assert.deepEqual(
    out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {3,}/).slice(0, 3).join(" ")),
    [
      "shop orders orders-29401560",
      "shop orders before-migration",
      "shop orders orders-29398680",
      "shop orders orders-29391480",
    ],
  );
});

test("programs get the objects", async () => {
  const { out } = await plugin("backups orders -o json");
  const { items } = z.object({ items: z.array(z.object({ kind: z.string() })) }).parse(JSON.parse(out));
  assert.deepEqual(
    items.map(({ kind }) => kind),
    Array.from({ length: 4 }, () => "DatabaseBackup"),
  );
  assert.match((await plugin("backups -o name")).out, /^databasebackup\.example\.com\/orders-29401560\n/);
});
