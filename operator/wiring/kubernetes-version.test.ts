import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../kube/client";
import { requireKubernetes } from "./kubernetes-version";

const answering = (answer: unknown): { get: () => Promise<unknown> } => ({
  get: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
});

const never = (): never => assert.fail("the version is known");

test("an operator does not start on a Kubernetes that is too old, and says what to do", async () => {
  const old = answering({ major: "1", minor: "28", gitVersion: "v1.28.3" });
  await assert.rejects(requireKubernetes(old, never), /Kubernetes 1\.28, .* needs 1\.30 or newer: upgrade the cluster/);
});

test("it starts on one that is new enough", async () => {
  await requireKubernetes(answering({ major: "1", minor: "34" }), never);
});

test("it starts where the API server does not report its version, and logs that", async () => {
  for (const answer of [new ApiError(403, "Forbidden", "no"), "gateway"]) {
    const told: unknown[] = [];
    await requireKubernetes(answering(answer), (cause) => told.push(cause));
    assert.equal(told.length, 1);
  }
});

test("an API server that does not answer is an error of the start, as it is for everything else", async () => {
  await assert.rejects(requireKubernetes(answering(new Error("connect ECONNREFUSED")), never), /ECONNREFUSED/);
});
