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
    [`Exposure: Service shop gets an address outside of the cluster: clients of ${range} may connect`],
  ],
  ["closed", specWith(range), specWith(), [`Downtime: Service shop loses its address outside of the cluster: ${gone}`]],
  [
    "given another range",
    specWith(range),
    specWith(wider),
    [`Downtime: ${gone}`, `Exposure: Service shop is opened: clients of ${wider} may connect`],
  ],
  ["left as it is", specWith(range), specWith(range), []],
  ["new", undefined, specWith(range), []],
] as const) {
  test(`a Service that is ${what}: ${told.length === 0 ? "nothing is told" : told.join("; ")}`, () => {
    assert.deepEqual(toldOf(before, after), told);
  });
}

const annotated = (
  annotations: Record<string, string>,
  type: "LoadBalancer" | "ClusterIP" = "LoadBalancer",
): DatabaseSpec =>
  specOf({
    services: { any: { type, annotations, ...(type === "LoadBalancer" && { loadBalancerSourceRanges: [range] }) } },
  });
for (const [what, before, after, isTold] of [
  ["with other annotations", annotated({ a: "1", b: "2" }), annotated({ a: "1", b: "3" }), true],
  ["with the same in another order", annotated({ a: "1", b: "2" }), annotated({ b: "2", a: "1" }), false],
  ["inside of the cluster", annotated({ a: "1" }, "ClusterIP"), annotated({ a: "2" }, "ClusterIP"), false],
] as const) {
  test(`what becomes of a load balancer cannot be told, ${what}: ${isTold ? "yes" : "no"}`, () => {
    const told = toldOf(before, after);
    assert.equal(told.length, isTold ? 1 : 0);
    if (isTold) assert.match(told[0] ?? "", /^CannotBeTold: Service shop-any has other labels or annotations/);
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
