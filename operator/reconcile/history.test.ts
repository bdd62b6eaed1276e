import assert from "node:assert/strict";
import test from "node:test";
import { companionFieldManager } from "../../components/naming";
import { DatabaseSpec } from "../api/spec";
import type { Accepted } from "../domain/accepted";
import type { Drift } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Agreed } from "../domain/pending";
import { emptyRecord, longestHistory, type StackRecord } from "../domain/records";
import { digestOf } from "../stack/program";
import { withRevision } from "./history";

const desiredOf = (spec: object = {}): Desired => ({
  owner: { name: "shop", namespace: "team", uid: "uid-1" },
  spec: DatabaseSpec.parse({ engine: "postgresql", version: "17.6", ...spec }),
  ...{ image: "postgresql:17.6", config: {}, serviceMonitors: false },
});

interface Some {
  readonly desired?: Desired;
  readonly isAsked?: boolean;
  readonly by?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
  /** Undefined: what was accepted before is kept up. */
  readonly wish?: string | undefined;
  readonly last?: number;
  readonly release?: string;
  readonly takenOver?: boolean;
  readonly drift?: readonly Drift[];
  readonly areAuthorsKnown?: boolean;
}

const edited: Drift = { child: "Service shop", urn: "", kind: "edited", fields: ["spec"], by: "jane" };

/** The record after one more run. */
function ran(record: StackRecord, some: Some = {}): StackRecord {
  const usual = { desired: desiredOf(), isAsked: true, by: "kubectl", annotations: {}, generation: 1, wish: "w1" };
  const { isAsked, by, takenOver, drift, annotations, generation, ...rest } = {
    ...{ ...usual, last: 0, release: "1.0", takenOver: false, areAuthorsKnown: true },
    ...{ drift: some.isAsked === false ? [edited] : [], ...some },
  };
  const { desired, release } = rest;
  const history = withRevision(record, {
    change: { digest: "d", by, drift, isAsked, takenOver },
    ...{ summary: "1 updated", seconds: 1, at: new Date("2026-11-27T14:00:00Z"), restarts: undefined },
    ...{ metadata: { uid: "uid-1", generation, annotations }, digestOf: digestOf("1"), ...rest },
  });
  const { spec, image, config } = desired;
  return { ...record, history, accepted: { spec, image, config }, release };
}

const created = ran(emptyRecord("uid-1"));
const changedBy = (user: string, generation: number): Record<string, string> => ({
  "database.example.com/changed-by": `uid-1 ${generation} ${user}`,
});

test("a creation has the spec with its defaults, and no changes: all of it is new", () => {
  const [first] = created.history;
  assert.deepEqual([first?.revision, first?.told?.origin, first?.told?.changes], [1, "Spec", []]);
  assert.deepEqual(first?.told?.template, desiredOf().spec);
});

test("an edit says what it changed, and who", () => {
  const edited = {
    desired: desiredOf({ replicas: 2, deletionPolicy: "Delete" }),
    generation: 2,
    annotations: changedBy("maria", 2),
  };
  const told = ran(created, edited).history[0]?.told;
  assert.equal(told?.author, "maria");
  assert.deepEqual(told.changes, [
    { path: "spec.deletionPolicy", before: "Retain", after: "Delete" },
    { path: "spec.replicas", before: "3", after: "2" },
  ]);
});

const unknown: Readonly<Record<string, Some>> = {
  "of which admission wrote nothing": { generation: 2 },
  "of which it wrote an earlier edit": { generation: 3, annotations: changedBy("maria", 2) },
  "that a companion asked for": { generation: 2, annotations: changedBy("operator", 2), by: companionFieldManager },
};
for (const [what, some] of Object.entries(unknown)) {
  test(`no one is said to be the author of an edit ${what}`, () => {
    assert.equal(ran(created, { desired: desiredOf({ replicas: 2 }), ...some }).history[0]?.told?.author, undefined);
  });
}

test("what comes without an edit is the platform's, without an author", () => {
  const moved = { ...desiredOf(), image: "postgresql:17.6-2" };
  const told = ran(created, { desired: moved, annotations: changedBy("maria", 1) }).history[0]?.told;
  assert.deepEqual([told?.origin, told?.author], ["Platform", undefined]);
  assert.deepEqual(told?.changes, [{ path: "image", before: "postgresql:17.6", after: "postgresql:17.6-2" }]);
});

test("another release is said as that, and nothing else is", () => {
  const told = ran(created, { release: "1.1" }).history[0]?.told;
  assert.deepEqual([told?.origin, told?.changes], ["Platform", [{ path: "operator", after: "another release" }]]);
  assert.deepEqual(ran(created).history[0]?.told?.changes, []);
  const kept = ran(created, { desired: { ...desiredOf(), keptBackups: ["one"] } }).history[0]?.told;
  assert.deepEqual([kept?.origin, kept?.changes], ["Platform", []]);
});

const maria = { generation: 2, annotations: changedBy("maria", 2) };

test("once the data of a new Database are there, what comes is of who created it", () => {
  const restoring = { ...ran(emptyRecord("uid-1"), { annotations: changedBy("ann", 1) }), accepted: undefined };
  const second = ran(restoring, { annotations: changedBy("ann", 1) }).history[0]?.told;
  assert.deepEqual([second?.origin, second?.author, second?.changes], ["Spec", "ann", []]);
});

test("all phases of an upgrade are of who asked for it", () => {
  const upgrade = { members: "none", note: "" } as const;
  const begun = ran(created, { ...maria, desired: { ...desiredOf(), upgrade } });
  assert.deepEqual([begun.history[0]?.told?.origin, begun.history[0]?.told?.author], ["Spec", "maria"]);
  const converted = ran(begun, { ...maria, desired: { ...desiredOf({ version: "18.1" }), upgrade } }).history[0]?.told;
  assert.deepEqual([converted?.origin, converted?.author], ["Spec", "maria"]);
});

test("a repair that is repeated is a repair, of what its changer had changed", () => {
  const [again] = ran({ ...created, digest: undefined }, { drift: [edited] }).history;
  assert.deepEqual([again?.told?.origin, again?.by], ["Repair", "jane"]);
});

test("what the platform changes after an edit that came to nothing is no person's", () => {
  const moved = { ...desiredOf(), image: "postgresql:17.6-2" };
  const told = ran(created, { ...maria, desired: moved }).history[0]?.told;
  assert.deepEqual([told?.origin, told?.author], ["Platform", undefined]);
});

const acceptedIn = ({ spec, image, config }: Desired): Accepted => ({ spec, image, config });
const asks = { changePolicy: { requireApproval: ["Downtime"] } };

/** Edits that come to no run, before what is asked for by another release. */
const runless: Readonly<Record<string, Desired>> = {
  deletionPolicy: desiredOf({ deletionPolicy: "Delete" }),
  changePolicy: desiredOf(asks),
  "a restore that is done": desiredOf({ restore: { backup: { name: "old" } } }),
  "where a parameter comes from": {
    ...desiredOf({ configFrom: { name: "tuning" } }),
    config: { work_mem: "8MB" },
  },
};
for (const [what, desired] of Object.entries(runless)) {
  test(`who had edited ${what} has not asked for what a release does`, () => {
    const config = { work_mem: "8MB" };
    const moved = { ...desiredOf({ config }), config };
    const before = desired.config["work_mem"] === undefined ? created : ran(emptyRecord("uid-1"), { desired: moved });
    const [last] = ran(before, { ...maria, desired, release: "1.1" }).history;
    assert.deepEqual([last?.byPlatform, last?.source, last?.told?.origin], [true, "Release", "Platform"]);
    assert.equal(last?.told?.author, undefined);
  });
}

test("an edit of a parameter is the Database's, and one of its ConfigMap is not", () => {
  const from = { configFrom: { name: "tuning" } };
  const config = { work_mem: "8MB", max_connections: "200" };
  const first = ran(emptyRecord("uid-1"), {
    desired: { ...desiredOf({ ...from, config: { work_mem: "8MB" } }), config },
  });
  const own = { ...desiredOf({ ...from, config: { work_mem: "16MB" } }), config: { ...config, work_mem: "16MB" } };
  assert.equal(ran(first, { ...maria, desired: own }).history[0]?.byPlatform, undefined);
  const shared = {
    ...desiredOf({ ...from, config: { work_mem: "8MB" }, deletionPolicy: "Delete" }),
    config: { ...config, max_connections: "300" },
  };
  const [last] = ran(first, { ...maria, desired: shared }).history;
  assert.deepEqual([last?.byPlatform, last?.source], [true, "ConfigMap"]);
  const image = ran(first, { desired: { ...shared, image: "postgresql:17.6-2" } }).history[0];
  assert.deepEqual([image?.byPlatform, image?.source], [true, "Catalogue"]);
});

test("a release that is tried again after it failed is the platform's, and an edit that is finished is not", () => {
  const accepted = acceptedIn(desiredOf());
  const release: Agreed = { wish: "w2", accepted, former: { wish: "w1", accepted } };
  const tried = { ...created, accepted: undefined, agreed: release };
  assert.equal(
    ran(tried, { ...maria, desired: desiredOf(asks), wish: "w2", release: "1.1" }).history[0]?.byPlatform,
    true,
  );
  const two = desiredOf({ replicas: 2 });
  const half = { ...created, accepted: undefined, agreed: { ...release, accepted: acceptedIn(two) } };
  // the generation of what is finished is taken to be that of what came through last
  assert.equal(ran(half, { desired: two, wish: undefined }).history[0]?.byPlatform, undefined);
  assert.equal(ran(half, { ...maria, desired: desiredOf() }).history[0]?.byPlatform, undefined, "it is taken back");
});

test("who takes back what failed asks for something", () => {
  const told = ran({ ...created, accepted: undefined }, { ...maria, generation: 2 }).history[0]?.told;
  assert.deepEqual([told?.origin, told?.author], ["Spec", "maria"]);
});

test("no author is named where everyone who writes Databases could write the name", () => {
  const edit = { ...maria, desired: desiredOf({ replicas: 2 }), areAuthorsKnown: false };
  assert.equal(ran(created, edit).history[0]?.told?.author, undefined);
  const planned = ran({ ...created, agreed }, { ...edit, wish: "w2" }).history[0]?.told;
  assert.deepEqual([planned?.author, planned?.approval?.by], [undefined, "paul"]);
});

test("what was let through and is finished while another edit waits has its own author, approver and generation", () => {
  const { spec, image, config } = desiredOf({ replicas: 2 });
  const half = { ...created, accepted: undefined, agreed: { ...agreed, accepted: { spec, image, config } } };
  const [finished] = ran(half, { desired: desiredOf({ replicas: 2 }), by: "argocd", wish: undefined }).history;
  const { origin, author, approval, generation, changes } = finished?.told ?? {};
  assert.deepEqual([origin, author, approval?.by, generation], ["Spec", "maria", "paul", 2]);
  assert.deepEqual(changes, [{ path: "spec.replicas", before: "3", after: "2" }]);
  assert.equal(finished?.by, "", "the edit that waits is another manager's");
});

test("changes of a former Database of the name are not told as those of this one", () => {
  const record = ran(ran(created, { ...maria, desired: desiredOf({ replicas: 2 }) }));
  const [first, ...former] = ran(record, { takenOver: true, annotations: changedBy("ann", 1) }).history;
  assert.deepEqual([first?.told?.origin, first?.told?.author, first?.told?.changes], ["Spec", "ann", []]);
  assert.ok(former.every(({ told }) => told === undefined));
});

test("a repair says what was put back, and changes nothing", () => {
  const [repair] = ran(created, { isAsked: false }).history;
  assert.deepEqual([repair?.told?.origin, repair?.told?.changes, repair?.by], ["Repair", [], "jane"]);
  assert.equal(repair?.putBack?.length, 1);
});

const plan: NonNullable<Agreed["plan"]> = {
  ...{ plan: "7f3c", effect: "RollingRestart", consequences: [], by: "paul", author: "maria", generation: 2 },
};
const agreed: Agreed = { wish: "w2", plan };

test("who approved which plan is told of the change that it was for, and of no other one", () => {
  const edit = { desired: desiredOf({ replicas: 2 }), generation: 2 };
  const told = ran({ ...created, agreed }, { ...edit, wish: "w2" }).history[0]?.told;
  const { author, generation, ...approval } = plan;
  assert.equal(generation, edit.generation);
  assert.deepEqual([told?.author, told?.approval], [author, approval]);
  for (const wish of ["w3", undefined])
    assert.equal(ran({ ...created, agreed }, { ...edit, wish }).history[0]?.told?.approval, undefined);
});

test("after a run that failed it is told against the last that came through", () => {
  const fallen = { ...created, accepted: undefined };
  const { changes } = ran(fallen, { desired: desiredOf({ replicas: 2 }), generation: 2 }).history[0]?.told ?? {};
  assert.deepEqual(changes, [{ path: "spec.replicas", before: "3", after: "2" }]);
});

test("the newest three say all, the others what the operator decides by; and there are so many", () => {
  let record = created;
  for (let change = 0; change < longestHistory + 5; change++) record = ran(record);
  assert.equal(record.history.length, longestHistory);
  assert.deepEqual(record.history.map(({ told }) => told !== undefined).lastIndexOf(true), 2);
  assert.equal(record.history[0]?.revision, longestHistory + 6);
});

test("where the record was lost, the numbers continue after the newest object", () => {
  assert.equal(ran(emptyRecord("uid-1"), { last: 41 }).history[0]?.revision, 42);
  assert.equal(ran(created, { last: 0 }).history[0]?.revision, 2);
});

test("a spec that is too large for an object is not kept", () => {
  for (const [letter, count] of [["x", 90] as const, ["界", 30] as const]) {
    const config = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, letter.repeat(1000)]));
    assert.equal(ran(created, { desired: desiredOf({ config }), generation: 2 }).history[0]?.told?.template, undefined);
  }
});
