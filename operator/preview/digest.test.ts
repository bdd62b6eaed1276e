import assert from "node:assert/strict";
import test from "node:test";
import { image, stepOf as step, storage } from "../../test/fakes/previewed";
import { specOf } from "../../test/fakes/specs";
import type { Desired } from "../domain/desired";
import { planDigest, type PlanInputs } from "./digest";

const desired: Desired = {
  owner: { name: "shop", namespace: "team", uid: "one" },
  ...{ spec: specOf(), image: "i:1", config: {}, serviceMonitors: false },
};
const inputs: PlanInputs = {
  database: "team/shop",
  intent: "change",
  programVersion: "1",
  before: "abc",
  desired,
  kept: [],
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
  "the last run": { before: undefined },
  "the code": { programVersion: "2" },
  "what is wanted": { desired: { ...desired, image: "another" } },
  "the Database, created again": { desired: other },
  "what would be done": { steps: [step("PersistentVolumeClaim data-shop-0", "update", [storage])] },
  "what stays": { kept: ["PersistentVolumeClaim data-shop-0"] },
  "the name": { database: "team/other" },
};
for (const [what, some] of Object.entries(moved)) {
  test(`a plan has another name where this has moved: ${what}`, () => {
    assert.notEqual(planDigest({ ...inputs, ...some }), digest);
  });
}

test("one that is yet to be created has a UID of each dry run, which counts for nothing", () => {
  const created = { ...inputs, intent: "create", before: undefined } as const;
  assert.equal(planDigest({ ...created, desired: other }), planDigest(created));
});
