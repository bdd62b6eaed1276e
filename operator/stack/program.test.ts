import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import type { Desired } from "../domain/desired";
import { stackNameOf } from "../domain/stack-names";
import { argsOf, digestOf, secretsOf } from "./program";

function desired(spec: Record<string, unknown> = {}, some: Partial<Desired> = {}): Desired {
  const owner = { name: "shop", namespace: "team", uid: "uid-1" };
  return { owner, spec: specOf(spec), image: "i:1", config: {}, serviceMonitors: false, ...some };
}
const digest = digestOf("v1");

test("equal desired states have equal digests, whatever the order of their fields", () => {
  const one = desired({ replicas: 2, config: { a: "1", b: "2" } }, { config: { a: "1", b: "2" } });
  const other = desired({ config: { b: "2", a: "1" }, replicas: 2 }, { config: { b: "2", a: "1" } });
  assert.equal(digest(one), digest(other));
});

for (const [what, changed] of [
  ["replicas", desired({ replicas: 5 })],
  ["storage", desired({ storage: "20Gi" })],
  ["the image", desired({}, { image: "i:2" })],
  ["a parameter", desired({}, { config: { work_mem: "8MB" } })],
  ["resources", desired({ resources: { requests: { cpu: "1" } } })],
  ["the backup schedule", desired({ backup: { schedule: "0 3 * * *" } })],
  ["the backup volume's class", desired({ backup: { destination: { volume: { storageClass: "slow" } } } })],
  ["synchronous commit", desired({ highAvailability: { synchronousCommit: true } })],
  ["strict commits", desired({ highAvailability: { synchronousCommit: true, synchronous: { strict: true } } })],
  ["from where the superuser may connect", desired({ superuserAccess: "Local" })],
  ["how connections are secured", desired({ tls: { mode: "Prefer" } })],
  ["the mode that members get on their way", desired({}, { tls: "Prefer" })],
  ["labels of the ServiceMonitor", desired({ monitoring: { labels: { release: "other" } } })],
  ["ServiceMonitors", desired({}, { serviceMonitors: true })],
  ["the owner", desired({}, { owner: { name: "shop", namespace: "team", uid: "uid-2" } })],
] as const) {
  test(`a change of ${what} changes the digest`, () => {
    assert.notEqual(digest(changed), digest(desired()));
  });
}

test("members get the mode that is next, and where nothing is on record the one that the spec asks for", () => {
  assert.equal(argsOf(desired({ tls: { mode: "Require" } }, { tls: "Prefer" })).tls, "Prefer");
  assert.equal(argsOf(desired({ tls: { mode: "Require" } })).tls, "Require");
  assert.equal(argsOf(desired()).tls, undefined);
});

test("no message may contain the key of a certificate", () => {
  const passwords = { app: "a", superuser: "s", replication: "r", monitor: "m", rest: "x" };
  const certificates = { authorities: "authorities", certificate: "certificate", key: "key" };
  assert.ok(secretsOf({ desired: desired(), passwords, certificates }).includes("key"));
});

test("under the policy Snapshot no child has an owner, so that no cascade removes it before the last backup", () => {
  assert.equal(argsOf(desired({ deletionPolicy: "Snapshot" })).owner, undefined);
  assert.equal(argsOf(desired({ deletionPolicy: "Delete" })).owner?.name, "shop");
  assert.notEqual(digest(desired({ deletionPolicy: "Snapshot" })), digest(desired()));
});

test("a request for a last backup, and another request, are other programs", () => {
  const digests = [undefined, "uid/1", "uid/2"].map((finalBackup) => digest({ ...desired(), finalBackup }));
  assert.equal(new Set(digests).size, 3);
});

for (const [what, spec] of [
  ["deletionPolicy", { deletionPolicy: "Delete" }],
  ["paused", { paused: true }],
] as const) {
  test(`${what} decides no child and leaves the digest alone`, () => {
    assert.equal(digest(desired(spec)), digest(desired()));
  });
}

test("another version of the program changes the digest", () => {
  assert.notEqual(digestOf("v2")(desired()), digest(desired()));
});

test("the Database is the controller of its children", () => {
  assert.deepEqual(argsOf(desired()).owner, {
    apiVersion: "example.com/v1",
    kind: "Database",
    name: "shop",
    uid: "uid-1",
  });
});

test("stack names tell apart what a dash would confuse, and fit Pulumi's hundred characters", () => {
  assert.notEqual(stackNameOf("a-b", "c"), stackNameOf("a", "b-c"));
  const long = stackNameOf("n".repeat(63), "d".repeat(45));
  assert.equal(long.length, 100);
  const cut = stackNameOf("n".repeat(63), `${"d".repeat(18)}-${"e".repeat(20)}`);
  assert.match(cut, /^n{63}\.d{18}\.[0-9a-f]{16}$/);
  assert.notEqual(long, stackNameOf("n".repeat(63), `${"d".repeat(44)}e`));
});

test("only a backup that is known tells whose volume it is on: any claim may be named otherwise", () => {
  const takenBy = (restore: Desired["restore"]): unknown => {
    const found = argsOf(desired({}, restore && { restore })).restore;
    return found !== undefined && "takenBy" in found ? found.takenBy : undefined;
  };
  const on = { claim: "orders-backup", label: "orders-20261121T020003Z" };
  assert.equal(takenBy({ ...on, backup: "orders-1" }), "orders");
  assert.equal(takenBy(on), undefined);
});
