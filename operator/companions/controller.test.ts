import assert from "node:assert/strict";
import test from "node:test";
import { companionFieldManager } from "../../components/naming";
import type { CompanionStatus } from "../api/companions/kind";
import { isRecord } from "../objects/json";
import { createCompanionController, type CompanionWork } from "./controller";
import type { ApplyResult, CompanionPorts, DatabaseBody } from "./ports";
import { isAsWritten, withoutGaps } from "./written";

const key = "a/shop/sampledbs";
const sample = (spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): unknown => ({
  metadata: { name: "shop", namespace: "a", uid: "companion-1", generation: 1, resourceVersion: "10", ...metadata },
  spec: { version: "17", replicas: 2, ...spec },
});

/** The fields of a value as managedFields has them. */
const fieldsOf = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, nested]) => [`f:${name}`, fieldsOf(nested)]))
    : {};

/** A Database as the API server would have it after an apply of `body`. */
const applied = ({ metadata, spec }: DatabaseBody, more: Record<string, unknown> = {}): unknown => {
  const owners = { 'k:{"uid":"companion-1"}': {} };
  const fields = {
    "f:metadata": { "f:ownerReferences": owners },
    ...(isRecord(spec) ? { "f:spec": fieldsOf(spec) } : {}),
  };
  const managed = { manager: companionFieldManager, operation: "Apply", fieldsV1: fields };
  return {
    metadata: {
      uid: "database-1",
      generation: 1,
      resourceVersion: "20",
      managedFields: [managed],
      ...metadata,
      ...more,
    },
    spec: { ...(isRecord(spec) ? spec : {}), storage: "10Gi" },
  };
};

interface Bench extends CompanionPorts {
  companions: unknown;
  databases: unknown;
  answer: (body: DatabaseBody) => ApplyResult;
  readonly bodies: DatabaseBody[];
  readonly statuses: CompanionStatus[];
  forgotten: number;
  readonly work: CompanionWork;
}

function bench(): Bench {
  const at: Omit<Bench, "work"> = {
    companions: sample(),
    databases: undefined,
    answer: (body) => ({ kind: "done", database: applied(body) }),
    bodies: [],
    statuses: [],
    forgotten: 0,
    companion: () => at.companions,
    database: () => at.databases,
    catalogue: { postgresql: { "17.6": { image: "a" } } },
    writes: {
      find: () => Promise.resolve(at.databases),
      apply: (body) => {
        at.bodies.push(body);
        return Promise.resolve(at.answer(body));
      },
      writeStatus: (_kind, _metadata, { previous, statusAfter }) => {
        const status = statusAfter(previous);
        at.statuses.push(status);
        return Promise.resolve({ version: String(10 + at.statuses.length), status });
      },
      forget: () => at.forgotten++,
    },
    now: () => new Date("2026-11-21T10:00:00Z"),
  };
  const work = createCompanionController(at, { onError: () => undefined, onOutcome: () => undefined });
  return Object.assign(at, { work });
}

const stalledBy = (status: CompanionStatus | undefined): string | undefined =>
  status?.conditions?.find(({ type, status: is }) => type === "Stalled" && is === "True")?.reason;

test("a new companion applies its Database once, as its owner; what it wrote is not written again from an older copy", async () => {
  const at = bench();
  assert.deepEqual(await at.work(key), { kind: "forget" });
  const owner = { apiVersion: "database.example.com/v1", kind: "SampleDB", name: "shop", uid: "companion-1" };
  assert.deepEqual(at.bodies, [
    {
      ...{
        apiVersion: "example.com/v1",
        kind: "Database",
        spec: { engine: "postgresql", version: "17.6", replicas: 2 },
      },
      metadata: {
        ...{ namespace: "a", name: "shop" },
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
    },
  ]);
  const [body] = at.bodies;
  assert.ok(body);
  at.databases = applied(body, { resourceVersion: "19", managedFields: [] });
  await at.work(key);
  at.databases = applied(body);
  await at.work(key);
  assert.equal(at.bodies.length, 1);
});

test("a Database with another owner is neither applied nor shown", async () => {
  const at = bench();
  at.databases = { metadata: { name: "shop", namespace: "a", uid: "foreign" }, status: { ready: true, primary: "x" } };
  assert.deepEqual(await at.work(key), { kind: "forget" });
  assert.equal(at.bodies.length, 0);
  assert.equal(stalledBy(at.statuses[0]), "NameConflict");
  assert.equal(at.statuses[0]?.primary, undefined);
});

test("an edited Database is applied again, and only this one", async () => {
  const at = bench();
  await at.work(key);
  const [body] = at.bodies;
  assert.ok(body);
  const edited = { ...body, spec: { engine: "postgresql", version: "17.6", replicas: 5 } };
  at.databases = applied(edited, { resourceVersion: "30" });
  await at.work(key);
  assert.equal(at.bodies[1]?.metadata.uid, "database-1");
});

test("a refused Database is applied once, until the companion or the Database changes", async () => {
  const at = bench();
  at.answer = () => ({ kind: "refused", message: "spec.storage: must not shrink", lasting: true });
  for (let times = 0; times < 3; times++) assert.deepEqual(await at.work(key), { kind: "forget" });
  assert.equal(at.bodies.length, 1);
  assert.equal(stalledBy(at.statuses.at(-1)), "DatabaseRefused");
  assert.equal(at.statuses.length, 1);
  at.companions = sample({ replicas: 3 }, { generation: 2, resourceVersion: "12" });
  await at.work(key);
  assert.equal(at.bodies.length, 2);
});

test("what may be allowed later is tried again after a minute", async () => {
  const at = bench();
  at.answer = () => ({ kind: "refused", message: "exceeded quota", lasting: false });
  assert.deepEqual(await at.work(key), { kind: "again", afterMs: 60_000 });
});

test("an unknown error is retried, and the status says so", async () => {
  const at = bench();
  at.answer = () => {
    throw new Error("the connection broke");
  };
  assert.deepEqual(await at.work(key), { kind: "retry" });
  assert.equal(at.statuses[0]?.conditions?.find(({ type }) => type === "Reconciling")?.reason, "InternalError");
});

test("nothing is applied for a companion that is being deleted, nor while its Database is", async () => {
  const at = bench();
  at.companions = sample({}, { deletionTimestamp: "2026-11-21T09:00:00Z" });
  await at.work(key);
  assert.equal(at.statuses.at(-1)?.phase, "Deleting");
  at.companions = sample({}, { generation: 2, resourceVersion: "40" });
  at.databases = { metadata: { name: "shop", namespace: "a", uid: "x", deletionTimestamp: "2026-11-21T09:00:00Z" } };
  assert.equal((await at.work(key)).kind, "again");
  assert.equal(at.bodies.length, 0);
});

test("a companion that is gone is forgotten", async () => {
  const at = bench();
  at.companions = undefined;
  assert.deepEqual(await at.work(key), { kind: "forget" });
  assert.equal(at.forgotten, 1);
});

const owner = { apiVersion: "g/v1", kind: "K", name: "shop", uid: "companion-1", controller: true };
const body: DatabaseBody = {
  ...{ apiVersion: "example.com/v1", kind: "Database", spec: { version: "17.6", backup: { retention: 9 } } },
  metadata: { namespace: "a", name: "shop", ownerReferences: [owner] },
};

test("a Database is as written only with exactly our fields and its owner", () => {
  const { spec } = body;
  const whole = applied(body);
  assert.equal(isAsWritten(whole, { spec, owner }, companionFieldManager), true);
  const less = { version: "17.6" };
  assert.equal(isAsWritten(whole, { spec: less, owner }, companionFieldManager), false, "a field more is ours");
  const other = { version: "17.6", backup: { retention: 8 } };
  assert.equal(isAsWritten(whole, { spec: other, owner }, companionFieldManager), false, "another value");
  const demoted = applied(body, { ownerReferences: [{ ...owner, controller: false }] });
  assert.equal(isAsWritten(demoted, { spec, owner }, companionFieldManager), false, "no controller anymore");
  assert.equal(isAsWritten(whole, { spec, owner }, "somebody-else"), false, "by another client");
});

test("empty fields are left out, so that server-side apply does not claim them", () => {
  assert.deepEqual(withoutGaps({ a: undefined, b: {}, c: { d: { e: undefined }, f: 1 }, g: [{}], h: false }), {
    c: { f: 1 },
    g: [{}],
    h: false,
  });
});
