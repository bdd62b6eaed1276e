import assert from "node:assert/strict";
import test from "node:test";
import { image, stepOf as step, storage } from "../../test/fakes/previewed";
import { specOf } from "../../test/fakes/specs";
import type { Consequence } from "../consequences/consequence";
import type { Desired } from "../domain/desired";
import { planDigest, type PlanInputs } from "./digest";

const desired: Desired = {
  owner: { name: "shop", namespace: "team", uid: "one" },
  ...{ spec: specOf(), image: "i:1", config: {}, serviceMonitors: false },
};
const restart: Consequence = { effect: "RollingRestart", members: ["shop-1", "shop-0"], message: "they restart" };
const claim = { child: "PersistentVolumeClaim data-shop-0", keptWith: "data" } as const;
const inputs: PlanInputs = {
  database: "team/shop",
  intent: "change",
  programVersion: "1",
  plans: 1,
  desired,
  primary: "shop-0",
  lasting: [],
  consequences: [restart],
  steps: [step("StatefulSet shop", "update", [image])],
};
const other = { ...desired, owner: { ...desired.owner, uid: "another" } };
const digest = planDigest(inputs);

test("the same plan has the same name, however its inputs are written down", () => {
  const reversed = Object.fromEntries(Object.entries(desired.spec).reverse());
  assert.equal(planDigest({ ...inputs, desired: { ...desired, spec: { ...desired.spec, ...reversed } } }), digest);
  assert.match(digest, /^[0-9a-f]{64}$/);
  const unchanged = step("Service shop", "same");
  assert.equal(planDigest({ ...inputs, steps: [...inputs.steps, unchanged] }), digest);
});

const moved: Readonly<Record<string, Partial<PlanInputs>>> = {
  "what was agreed to meanwhile": { plans: 2 },
  "the code": { programVersion: "2" },
  "what is wanted": { desired: { ...desired, image: "another" } },
  "the Database, created again": { desired: other },
  "the policy, which an approval must not take away with what it was asked for": {
    desired: { ...desired, spec: specOf({ changePolicy: { requireApproval: ["DataLoss"] } }) },
  },
  "what would be done": { steps: [step("PersistentVolumeClaim data-shop-0", "update", [storage])] },
  "what it means": { consequences: [{ ...restart, effect: "Downtime" }] },
  "in which order": { consequences: [{ ...restart, members: ["shop-0", "shop-1"] }] },
  "the primary": { primary: "shop-1" },
  "what stays": { lasting: [{ ...claim, stays: true }] },
  "the name": { database: "team/other" },
};
for (const [what, some] of Object.entries(moved)) {
  test(`a plan has another name where this has moved: ${what}`, () => {
    assert.notEqual(planDigest({ ...inputs, ...some }), digest);
  });
}

test("a deletion that leaves a volume has another name than one that removes it", () => {
  const named = (stays: boolean): string => planDigest({ ...inputs, lasting: [{ ...claim, stays }] });
  assert.notEqual(named(true), named(false));
});

test("one that is yet to be created has a UID of each dry run, which counts for nothing", () => {
  const created = { ...inputs, intent: "create" } as const;
  assert.equal(planDigest({ ...created, desired: other }), planDigest(created));
});

/** No child shows it, and the wish does not move with it either. */
const immediate = specOf({
  ...{ deletionPolicy: "Delete", paused: true, storageAutoGrow: { maxSize: "50Gi" } },
  upgrade: { confirmed: desired.spec.version },
});

const still: Readonly<Record<string, Partial<PlanInputs>>> = {
  "room on nodes": { consequences: [{ ...restart, waitsFor: "no node has 64Gi" }] },
  "the words for it": { consequences: [{ ...restart, message: "all members restart", aboutSeconds: 3 }] },
  "what clients do not notice": { consequences: [restart, { effect: "None", members: [], message: "none" }] },
  "what counts as it is written": { desired: { ...desired, spec: immediate } },
  "backups that retention must spare": { desired: { ...desired, keptBackups: ["shop-20260101T000000Z"] } },
};
for (const [what, some] of Object.entries(still)) {
  test(`a plan keeps its name where this has moved: ${what}`, () => {
    assert.equal(planDigest({ ...inputs, ...some }), digest);
  });
}
