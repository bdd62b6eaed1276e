import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "yaml";
import { browse } from "../../../test/fakes/plugin/console";
import { backupIn } from "../../objects/backup";
import { restorePlan, type Restorable, type RestorePlan, type RestoreWish } from "../data/restore";

const page = "/databases/shop/orders/backups";

/** As a person reads it. */
const words = (html: string): string =>
  html
    .replace(/<head>.*?<\/head>/s, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replace(/\s+/g, " ");

const backup = (name: string, phase: string, more: object = {}): NonNullable<ReturnType<typeof backupIn>> => {
  const seen = backupIn({
    metadata: { name, namespace: "shop", creationTimestamp: "2026-11-20T02:00:00Z" },
    spec: { database: "orders" },
    status: { phase, completedAt: "2026-11-20T02:04:02Z", ...more },
  });
  assert.ok(seen);
  return seen;
};

const damaged = {
  verification: { succeeded: false, reason: "BackupDamaged", message: "bad", at: "2026-11-22T05:10:00Z" },
};

const from: Restorable = {
  place: { namespace: "shop", name: "orders" },
  spec: {
    ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi", deletionPolicy: "Delete" },
    ...{ config: { max_connections: "150" }, paused: true, changePolicy: {}, restore: { from: { name: "older" } } },
  },
  backups: [backup("good", "Succeeded"), backup("bad", "Failed"), backup("spoilt", "Succeeded", damaged)],
  recoverableFrom: "2026-11-20T02:04:02Z",
};
const usual: RestoreWish = { name: "orders-restored", backup: "", moment: "" };
const planned = (wish: Partial<RestoreWish>, more: Partial<Restorable> = {}): RestorePlan =>
  restorePlan({ ...from, ...more }, { ...usual, ...wish });

const served = {
  ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi" },
  config: { max_connections: "150" },
};
const restores: readonly (readonly [wish: Partial<RestoreWish>, restore: unknown])[] = [
  [{}, { from: { name: "orders" } }],
  [{ moment: "2026-11-25T08:34:00.5+01:00" }, { from: { name: "orders" }, pointInTime: "2026-11-25T08:34:00.5+01:00" }],
  [{ backup: "good" }, { backup: { name: "good" } }],
];
for (const [wish, restore] of restores) {
  test(`${JSON.stringify(wish)} is a new Database with what the old one was served with`, () => {
    const plan = planned(wish);
    assert.ok(plan.kind === "manifest");
    assert.deepEqual(parse(plan.text), {
      ...{ apiVersion: "example.com/v1", kind: "Database", metadata: { name: "orders-restored", namespace: "shop" } },
      spec: { ...served, restore },
    });
  });
}

const refused: readonly (readonly [wish: Partial<RestoreWish>, said: RegExp, more?: Partial<Restorable>])[] = [
  [{ name: "orders" }, /write another name/],
  [{ name: "Orders" }, /lower-case letters/],
  [{ name: `a${"b".repeat(45)}` }, /45 at most/],
  [{ name: "" }, /begins with a letter/],
  [{ backup: "bad" }, /no such backup, or it is no good/],
  [{ backup: "spoilt" }, /no such backup, or it is no good/],
  [{ backup: "another" }, /no such backup/],
  [{ moment: "yesterday" }, /with its offset/],
  [{ moment: "2026-11-25T08:34:00" }, /with its offset/],
  [{ moment: "2026-11-19T08:34:00Z" }, /before all that is kept/],
  [{ moment: "2026-11-25T08:34:00Z" }, /before all that is kept/, { recoverableFrom: undefined }],
  [{ backup: "good", moment: "2026-11-25T08:34:00Z" }, /one backup has one moment/],
];
for (const [wish, said, more] of refused) {
  test(`${JSON.stringify(wish)} is none: ${said.source}`, () => {
    const plan = planned(wish, more);
    assert.ok(plan.kind === "refused");
    assert.match(plan.message, said);
  });
}

test("the page has the backups, a form, and what to apply once that is asked for", async () => {
  const first = words((await browse().get(page)).text);
  assert.match(first, /Can be restored to any moment since 2026-11-20 02:04 UTC/);
  assert.match(first, /Up to a moment since 2026-11-20 02:04 UTC/);
  assert.doesNotMatch(first, /What to apply|orders-29398680, /);
  const { text } = await browse().get(`${page}?name=again&backup=before-migration&moment=`);
  assert.match(
    words(text),
    /What to apply .*name: again .*restore: backup: name: before-migration With kubectl apply -n shop/,
  );
  assert.match(text, /<option value="before-migration" selected="">/);
  assert.match(words((await browse().get(`${page}?name=orders`)).text), /Nothing to apply: .*another name/);
});

test("where there is nothing to restore there is no form, and who may not see backups is told so", async () => {
  assert.doesNotMatch(words((await browse().get("/databases/bank/ledger/backups")).text), /Name of the new Database/);
  const { text } = await browse({ fake: { forbidden: ["databasebackups"] } }).get(page);
  assert.match(words(text), /Not shown: databasebackups: you may not list/);
});

test("whatever is written into the form stays text", async () => {
  const hostile = `"'><script>alert(1)</script>`;
  const query = new URLSearchParams({ name: hostile, backup: hostile, moment: hostile });
  const { text } = await browse().get(`${page}?${query.toString()}`);
  assert.doesNotMatch(text, /<script(?! src)/);
});
