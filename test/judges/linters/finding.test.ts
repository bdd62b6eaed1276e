import assert from "node:assert/strict";
import test from "node:test";
import { idleExceptions, openFindings, type Exception, type Finding } from "./finding";

const finding: Finding = { linter: "kubesec", check: "LimitsCPU", object: "StatefulSet shop", says: "limit it" };
const exception: Exception = { linter: "kubesec", check: "LimitsCPU", objects: /^StatefulSet /, why: "so it is" };

test("a finding is open until an exception of its linter, check and object covers it", () => {
  assert.deepEqual(openFindings([finding], [exception]), []);
  const others: Exception[] = [
    { ...exception, linter: "kube-score" },
    { ...exception, check: "RunAsUser" },
    { ...exception, objects: /^Job / },
  ];
  assert.deepEqual(openFindings([finding], others), ["kubesec LimitsCPU: StatefulSet shop: limit it"]);
});

test("an exception is idle when it covers nothing", () => {
  assert.deepEqual(idleExceptions([finding], [exception]), []);
  assert.deepEqual(idleExceptions([], [exception]), ["kubesec LimitsCPU ^StatefulSet "]);
});
