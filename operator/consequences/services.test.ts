import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, fieldChange, stepOf } from "../../test/fakes/previewed";
import { specOf } from "../../test/fakes/specs";
import type { DatabaseSpec } from "../api/spec";
import { factsOf } from "./circumstances";
import { restartsOfAll } from "./restarts";
import { outsideAccess } from "./services";

const specWith = (range?: string): DatabaseSpec =>
  specOf(
    range === undefined ? {} : { services: { readWrite: { type: "LoadBalancer", loadBalancerSourceRanges: [range] } } },
  );

const toldOf = (before: DatabaseSpec | undefined, after: DatabaseSpec): string[] =>
  outsideAccess(factsOf([], circumstances({ specs: { before, after } }))).map(
    ({ effect, message }) => `${effect}: ${message}`,
  );

const range = "203.0.113.0/24";
const wider = "203.0.112.0/23";
const gone = `clients of ${range} do not reach shop any more, unless another range has them`;

for (const [what, before, after, told] of [
  [
    "opened",
    specWith(),
    specWith(range),
    [`None: Service shop gets an address outside of the cluster: clients of ${range} may connect`],
  ],
  ["closed", specWith(range), specWith(), [`Downtime: Service shop loses its address outside of the cluster: ${gone}`]],
  [
    "given another range",
    specWith(range),
    specWith(wider),
    [`Downtime: ${gone}`, `None: Service shop is opened: clients of ${wider} may connect`],
  ],
  ["left as it is", specWith(range), specWith(range), []],
  ["new", undefined, specWith(range), []],
] as const) {
  test(`a Service that is ${what}: ${told.length === 0 ? "nothing is told" : told.join("; ")}`, () => {
    assert.deepEqual(toldOf(before, after), told);
  });
}

for (const [path, why] of [
  ["spec.nodeSelector.disk", "another placement"],
  ["spec.tolerations", "another placement"],
  ["spec.affinity.nodeAffinity", "another placement"],
  ["spec.priorityClassName", "another priority class"],
  ["spec.imagePullSecrets", "other pull secrets"],
  ["metadata.labels.team", "other labels or annotations of pods"],
  ["metadata.annotations.note", "other labels or annotations of pods"],
  ['metadata.annotations["database.example.com/start-parameters"]', "parameters that take effect only at a restart"],
] as const) {
  test(`members restart one after the other when ${path} changes: ${why}`, () => {
    const steps = [stepOf("StatefulSet shop", "update", [fieldChange(`spec.template.${path}`, undefined, "a")])];
    const [{ effect, message } = { effect: "None", message: "" }] = restartsOfAll(factsOf(steps, circumstances()));
    assert.equal(effect, "RollingRestart");
    assert.ok(message.includes(`(${why})`), message);
  });
}
