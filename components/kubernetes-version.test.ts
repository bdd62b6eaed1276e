import assert from "node:assert/strict";
import test from "node:test";
import { kubernetesProblem } from "./kubernetes-version";

test("an older Kubernetes is refused with both versions and a way out", () => {
  for (const [major, minor] of [
    ["1", "29"],
    ["1", "9"],
    ["1", "29+"],
    ["0", "40"],
  ] as const) {
    const problem = kubernetesProblem({ major, minor });
    assert.match(problem ?? "", /Kubernetes \d\.\d+, and .* needs 1\.30 or newer: upgrade the cluster/);
  }
});

test("the oldest supported version, newer ones and providers' spellings of them are accepted", () => {
  for (const [major, minor] of [
    ["1", "30"],
    ["1", "34"],
    ["1", "30+"],
    ["1", "100"],
    ["2", "0"],
  ] as const)
    assert.equal(kubernetesProblem({ major, minor }), undefined);
});

test("a cluster that reports no version is not refused", () => {
  assert.equal(kubernetesProblem({ major: "", minor: "" }), undefined);
});
