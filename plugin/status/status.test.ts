import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { billing, everything, finance, orders, plan } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";

const plugin = (line: string, some: Partial<FakeCluster> = {}): Promise<Ended> =>
  runPlugin(line, { cluster: fakeCluster({ objects: everything, ...some }) });

/** `orders` with other parts of its status, and no pods. */
const changed = (status: object, more: object = {}): readonly Stored[] => [
  { ...orders, ...more, status: { ...z.looseObject({}).parse(orders["status"]), ...status } },
];

const condition = (type: string, status: string, reason: string): object => ({
  ...{ type, status, reason, message: `why ${type}`, lastTransitionTime: "2026-11-27T14:00:00Z" },
});
const ready = condition("Ready", "True", "AllReplicasReady");

const states: Readonly<Record<string, readonly [status: object, more?: object]>> = {
  READY: [{ conditions: [ready, condition("BackupReady", "False", "BackupDisabled")] }],
  DEGRADED: [{ conditions: [ready, condition("BackupReady", "False", "BackupFailed")] }],
  "DEGRADED ": [{ conditions: [ready, condition("Reconciling", "False", "RunFailed")] }],
  UPDATING: [{ conditions: [ready, condition("Reconciling", "True", "Restarting")] }],
  "READY ": [{ conditions: [ready, condition("ChangePending", "False", "NoChangePending")] }],
  WAITING: [
    {
      conditions: [
        ready,
        condition("Reconciling", "True", "ChangePending"),
        condition("ChangePending", "True", "AwaitingWindow"),
      ],
    },
  ],
  "NOT READY": [{ conditions: [condition("Ready", "False", "WaitingForPrimary")] }],
  "STALLED, serves": [{ conditions: [ready, condition("Stalled", "True", "SpecInvalid")] }],
  "STALLED, does not serve": [{ conditions: [condition("Stalled", "True", "VolumesLost")] }],
  "PAUSED, serves": [
    { conditions: [ready, condition("Stalled", "False", "Paused")] },
    { spec: withSpec(orders, { paused: true })["spec"] },
  ],
  PENDING: [{ conditions: [] }],
  DELETING: [
    { conditions: [ready] },
    { metadata: { name: "orders", namespace: "shop", deletionTimestamp: "2026-11-27T14:00:00Z" } },
  ],
};
for (const [state, [status, more]] of Object.entries(states)) {
  test(`a Database is told to be ${state}`, async () => {
    const { out, code } = await plugin("status orders", { objects: changed(status, more) });
    assert.match(out.split("\n")[0] ?? "", new RegExp(` {3}${state.trim()} {3}`));
    assert.equal(code, 0);
  });
}

test("what an operator that is away said last is told to be so where pods say otherwise", async () => {
  const away = /\nNow +the operator said last that it can be used, and none of its pods is a primary that is ready/;
  const { out } = await plugin("status orders", { objects: [orders] });
  assert.match(out, away);
  assert.match(out, /\nNext +kubectl get pods -n database-operator-system .*troubleshooting/);
  const pods = everything.filter(({ metadata }) => metadata.name !== "orders-0");
  assert.match((await plugin("status orders", { objects: pods })).out, away);
  assert.doesNotMatch((await plugin("status orders")).out, away);
  assert.doesNotMatch((await plugin("status orders", { objects: [orders], forbidden: ["pods"] })).out, away);
});

test("a change that the operator has not looked at is no readiness", async () => {
  const metadata = { ...orders.metadata, generation: 5 };
  const { out } = await plugin("status orders", { objects: [{ ...orders, metadata }] });
  assert.match(out, /UPDATING/);
  assert.match(out, /the operator has not looked at the last change yet \(generation 5\)/);
});

test("a change that waits is told once, with what it does, for what it waits, and what to do", async () => {
  const { out, code } = await plugin("status billing -n finance", { objects: finance });
  assert.match(out, /^finance\/billing {3}PostgreSQL 17\.12 {3}WAITING {3}/);
  assert.doesNotMatch(out, /Now|kubectl annotate/);
  assert.match(out, /\nWaiting {3}for approval, and then for a window, which opens 2026-11-29 01:00 UTC\n/);
  assert.match(out, /\n {12}spec\.config\.max_connections {2}100 → 150\n {10}SWITCHOVER: .*\n {10}RESTARTS: /);
  assert.match(
    out,
    /\n {10}plan 7f3c9a51d0e2, asked for 2 h ago by john@example\.com, to be approved before 2026-12-27 12:50 UTC\n/,
  );
  assert.match(out, /\nNext {6}kubectl database-operator approve billing -n finance\n$/);
  assert.equal(code, 0);
  const { out: facts } = await plugin("status billing -n finance -o json", { objects: [billing] });
  const Facts = z.object({ state: z.literal("WAITING"), pendingChange: z.object({ digest: z.literal(plan) }) });
  Facts.parse(JSON.parse(facts));
  const { out: list } = await plugin("status -n finance", { objects: [billing] });
  assert.match(list, /\nbilling {3}WAITING .* AwaitingApproval\n$/);
});

test("a status of a newer operator is shown as far as it is understood", async () => {
  const conditions = [ready, { ...condition("Haunted", "True", "Ghosts"), type: 7 }, condition("Moon", "False", "New")];
  const { out, code } = await plugin("status orders", {
    objects: changed({ conditions, upgrade: "sideways", lastBackup: { name: 7 } }),
  });
  assert.equal(code, 0);
  assert.match(out, /^shop\/orders {3}PostgreSQL 17\.12 {3}READY/);
});

test("members that are missing are told, and those that may not be seen are not called missing", async () => {
  const without = everything.filter(({ metadata }) => metadata.name !== "orders-2");
  assert.match((await plugin("status orders", { objects: without })).out, /orders-2 {3}– .*there is no pod/);
  const { out, code } = await plugin("status orders", { forbidden: ["pods", "databasebackups"] });
  assert.doesNotMatch(out, /there is no pod/);
  assert.match(out, /Not shown {2}pods: you may not list pods in namespace shop\n/);
  assert.match(out, /databasebackups: you may not list databasebackups\.example\.com in namespace shop/);
  assert.equal(code, 0);
});

test("how far a replica is behind is told of one that streams, and is never less than nothing", async () => {
  const { out } = await plugin("status orders");
  assert.match(out, /orders-1 .* 0 B behind\n/);
  assert.match(out, /orders-2 .* ~1 MiB behind\n/);
});

test("a member that is not ready says why, and how it ended before", async () => {
  const { out } = await plugin("status ledger -n bank");
  assert.match(out, /ledger-1 .*runs, and is not ready yet, restarted 3×: OOMKilled, exit code 137\n/);
  assert.match(out, /Now {7}Ready, Reconciling: WaitingForMembers: 1 of 2 members is ready/);
  assert.match(out, /Next {6}kubectl logs -n bank -l database=ledger/);
});

test("those that need a person come first, and each has one line", async () => {
  const { out } = await plugin("status -A");
  assert.deepEqual(
    out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {3,}/).slice(0, 3).join(" ")),
    ["NAMESPACE NAME STATE", "bank ledger NOT READY", "shop cart STALLED", "shop orders READY"],
  );
  assert.doesNotMatch((await plugin("status --no-headers")).out, /NAME|bank/);
});

test("what needs a person comes before what is well, whatever it is called", async () => {
  const well = { ...orders, metadata: { ...orders.metadata, name: "aardvark" } };
  const [bad] = changed({ conditions: [condition("Ready", "False", "WaitingForPrimary")] });
  const { out } = await plugin("status --no-headers", { objects: bad ? [well, bad] : [] });
  assert.match(out, /^orders .*\naardvark /);
});

test("a list is one request", async () => {
  const seen: string[] = [];
  const inner = fakeCluster({ objects: everything });
  const cluster = { ...inner, get: (path: string) => (seen.push(path), inner.get(path)) };
  await runPlugin("status -A", { cluster });
  assert.deepEqual(seen, ["/apis/example.com/v1/databases"]);
});

const errors: readonly (readonly [line: string, some: Partial<FakeCluster>, words: RegExp])[] = [
  ["status ordres", {}, /there is no Database "ordres" in namespace shop\n {2}did you mean orders\?/],
  ["status ledger", {}, /there is no Database "ledger" in namespace shop\n {2}there is one in bank: -n bank/],
  ["status x -n empty", {}, /the namespace has none: kubectl database-operator status -A/],
  ["status zebra", {}, /the namespace has orders, cart/],
  [
    "status orders",
    { forbidden: ["databases"] },
    /^error: you may not get databases\.example\.com in namespace shop\n.*\n {2}kubectl create rolebinding \S+ --clusterrole=view --user=jane -n shop\n$/,
  ],
  [
    "status orders",
    { forbidden: ["databases"], user: "system:serviceaccount:shop:ci" },
    / --user=system:serviceaccount:shop:ci -n shop\n$/,
  ],
  ["status orders", { forbidden: ["databases"], user: "O'Hara & $(x)" }, / --user='O'\\''Hara & \$\(x\)' -n shop\n$/],
  ["status -A", { forbidden: ["databases"] }, /may not list databases\.example\.com in all namespaces\n {2}without -A/],
  [
    "status",
    { unknown: ["databases"] },
    /the cluster does not have databases\.example\.com\n {2}is this the right cluster/,
  ],
  ["status orders", { unknown: ["databases"] }, /the cluster does not have databases\.example\.com/],
];
for (const [line, some, words] of errors) {
  test(`${line} says what is missing: ${words.source.slice(0, 40)}`, async () => {
    const { code, out, err } = await plugin(line, some);
    assert.match(err, words);
    assert.deepEqual([code, out], [2, ""]);
  });
}

test("no Databases is no error, and programs get an empty list", async () => {
  const { code, out, err } = await plugin("status -n empty");
  assert.deepEqual([code, out, err], [0, "", "There are no Databases in namespace empty: -A shows all.\n"]);
  assert.deepEqual(JSON.parse((await plugin("status -n empty -o json")).out), { items: [] });
});

test("programs get facts, not texts", async () => {
  const { out } = await plugin("status orders -o json");
  const Facts = z.object({
    ...{ state: z.string(), engine: z.string(), ready: z.boolean() },
    backup: z.object({ last: z.object({ size: z.number() }), recoverableFrom: z.string() }),
    members: z.array(z.object({ name: z.string(), bytesBehind: z.number().optional() })),
  });
  const { state, engine, backup, members } = Facts.parse(JSON.parse(out));
  assert.deepEqual([state, engine, backup.last.size], ["READY", "postgresql", 4_402_341_478]);
  assert.deepEqual(
    members.map(({ bytesBehind }) => bytesBehind),
    [undefined, 0, 1_048_576],
  );
  assert.equal((await plugin("status orders -o name")).out, "database.example.com/orders\n");
  assert.match((await plugin("status orders -o yaml")).out, /^namespace: shop\nname: orders\n/);
});
