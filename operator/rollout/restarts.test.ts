import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import type { StackRecord } from "../domain/records";
import { restartsOf } from "./restarts";

/** A checkpoint whose members have this image. */
function checkpointWith(image: string): string {
  const inputs = { spec: { template: { spec: { containers: [{ name: "postgresql", image }] } } } };
  const type = "kubernetes:apps/v1:StatefulSet";
  const resources = [{ urn: `urn:pulumi:team.shop::databases::${type}::shop`, type, inputs }];
  return JSON.stringify({ version: 3, checkpoint: { latest: { resources } } });
}

const record = (checkpoint: string | undefined, generation: number): StackRecord => ({
  ...{ digest: "d", uid: "u", declared: undefined, accepted: undefined, history: [], version: "1" },
  checkpoint: checkpoint === undefined ? undefined : kept(checkpoint),
  workload: { uid: "w", generation },
});
const after = { checkpoint: checkpointWith("db:2"), workload: { uid: "w", generation: 2 } };

test("another template is a cause of restarts", () => {
  assert.equal(restartsOf(record(checkpointWith("db:1"), 1), after), "image db:1 → db:2");
  assert.equal(restartsOf(record(checkpointWith("db:2"), 1), after), undefined);
});

test("an unchanged StatefulSet is not compared", () => {
  assert.equal(restartsOf(record(checkpointWith("db:1"), 2), after), undefined);
});

test("without a state of before no cause is made up", () => {
  assert.equal(restartsOf(record(undefined, 1), after), undefined);
  assert.equal(restartsOf(record("{}", 1), after), undefined);
});
