import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { billing, cart, ledger, orders, plan } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";
import { ApiFailure, type Cluster } from "../command/world";
import { timeoutOf } from "../output/amounts";

const plugin = (line: string, fake: FakeCluster): Promise<Ended> => runPlugin(line, { cluster: fakeCluster(fake) });

const Status = z.looseObject({ conditions: z.array(z.looseObject({ type: z.string() })) });

/** `orders` with other conditions. */
function ordersWith(conditions: Readonly<Record<string, object>>): Stored {
  const status = Status.parse(orders["status"]);
  const changed = status.conditions.map((one) => ({ ...one, ...conditions[one.type] }));
  return { ...orders, status: { ...status, conditions: changed } };
}

const restarting = ordersWith({
  Reconciling: { status: "True", reason: "Restarting", message: "restarting orders-2: 1 of 3" },
});
const modified = (object: unknown): { type: string; object: unknown } => ({ type: "MODIFIED", object });
const gone = { type: "DELETED", object: orders };

test("it tells each turn once, and ends when the Database is ready as it was written last", async () => {
  const turns = [modified(restarting), modified(restarting), modified(orders)];
  const { code, out } = await plugin("wait orders", { objects: [restarting], turns });
  assert.equal(
    out,
    "15:00:00  Restarting: restarting orders-2: 1 of 3\n15:00:00  3 of 3 members are ready, orders-0 is primary\n",
  );
  assert.equal(code, 0);
});

test("a change that the operator has not looked at is waited for", async () => {
  const written = { ...orders, metadata: { ...orders.metadata, generation: 5 } };
  const { code, out } = await plugin("wait orders", { objects: [written], turns: [modified(orders)] });
  assert.match(out, /^15:00:00 {2}the operator has not looked at the last change yet\n/);
  assert.equal(code, 0);
});

test("it ends at once where a person must act first", async () => {
  const { code, out } = await plugin("wait cart", { objects: [cart] });
  assert.match(out, /ParameterReserved: config sets server_id/);
  assert.equal(code, 1);
});

test("a pause ends only when a person ends it, and is over then, though the operator has not looked yet", async () => {
  const left = ordersWith({ Stalled: { status: "False", reason: "Paused", message: "spec.paused is true" } });
  const paused = withSpec(left, { paused: true });
  const { code, out } = await plugin("wait orders", { objects: [paused] });
  assert.match(out, /it is paused/);
  assert.equal(code, 1);
  const resumed = { ...left, metadata: { ...orders.metadata, generation: 5 } };
  const waited = await plugin("wait orders", { objects: [resumed], turns: [modified(orders)] });
  assert.match(waited.out, /^15:00:00 {2}the operator has not looked at the last change yet\n/);
  assert.equal(waited.code, 0);
});

test("a change that waits for approval does so until a person acts, and one that is approved goes through", async () => {
  const { code, out } = await plugin("wait billing -n finance", { objects: [billing] });
  assert.match(out, /a change waits for approval, .*: kubectl database-operator approve billing -n finance\n$/);
  assert.equal(code, 1);
  const annotations = { "database.example.com/approve": plan };
  const approved = { ...billing, metadata: { ...billing.metadata, annotations } };
  const through = { ...billing, status: orders["status"] };
  const followed = await plugin("wait billing -n finance", { objects: [approved], turns: [modified(through)] });
  assert.match(followed.out, /the operator has not looked at the one on it yet\n.*3 of 3 members are ready/);
  assert.equal(followed.code, 0);
});

test("a window opens by itself", async () => {
  const pending = { digest: plan, waitsFor: ["Window"], windowOpensAt: "2026-11-29T01:00:00Z" };
  const windowed = { ...billing, status: { ...Status.parse(billing["status"]), pendingChange: pending } };
  const { code, out, err } = await plugin("wait billing -n finance --timeout=0", { objects: [windowed] });
  assert.match(out, /a change waits for a window, which opens 2026-11-29 01:00 UTC\n$/);
  assert.match(err, /not ready after 0/);
  assert.equal(code, 1);
});

test("a Database that goes away does not become ready", async () => {
  assert.equal((await plugin("wait orders", { objects: [restarting], turns: [gone] })).code, 1);
});

test("it ends when its time is up, and says how far it came", async () => {
  const { code, err } = await plugin("wait ledger -n bank --timeout=0", { objects: [ledger] });
  assert.match(err, /^bank\/ledger is not ready after 0: WaitingForMembers: /);
  assert.equal(code, 1);
});

test("an API server that is away for a while is no end of it", async () => {
  const inner = fakeCluster({ objects: [orders] });
  const answers = [() => Promise.resolve(restarting), () => Promise.reject(new ApiFailure(0, "", "it is away"))];
  const cluster: Cluster = {
    ...inner,
    get: (path) => (answers.shift() ?? (() => inner.get(path)))(),
    // eslint-disable-next-line @typescript-eslint/require-await -- the watch breaks off at once
    async *watch() {
      yield { type: "ERROR", object: {} };
    },
  };
  const { code, out } = await runPlugin("wait orders", { cluster });
  assert.match(out, /restarting orders-2: 1 of 3\n.*3 of 3 members are ready/);
  assert.equal(code, 0);
});

test("a deletion is waited for to its end, also where it has ended before", async () => {
  const { code, out } = await plugin("wait orders --for=deleted", { objects: [orders], turns: [gone] });
  assert.match(out, /it is not being deleted yet\n.*it does not exist any more\n$/);
  assert.equal(code, 0);
  assert.equal((await plugin("wait orders --for=deleted", { objects: [] })).code, 0);
});

test("one that does not exist is not waited for: it may be a mistyped name", async () => {
  const { code, err } = await plugin("wait ordres", { objects: [orders] });
  assert.match(err, /did you mean orders\?/);
  assert.equal(code, 2);
});

const times: readonly (readonly [text: string, ms: number | undefined])[] = [
  ["90s", 90_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["0", 0],
  ["5", undefined],
  ["", undefined],
  ["-1s", undefined],
  ["1d", undefined],
  ["596h", 2_145_600_000],
  ["597h", undefined],
  ["9999999h", undefined],
];
for (const [text, ms] of times) {
  test(`a time of "${text}" is ${ms === undefined ? "none" : `${ms} ms`}`, () => {
    assert.equal(timeoutOf(text), ms);
  });
}
