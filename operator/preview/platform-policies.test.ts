import assert from "node:assert/strict";
import test from "node:test";
import { deploymentOf } from "../../infra/deployment";
import { operatorDeployment } from "../../test/fakes/operator-deployment";
import { ApiError } from "../kube/client";
import { platformPolicies, policiesHeld, policiesIn } from "./platform-policies";

test("policies are read as the platform program writes them", () => {
  const releasePolicy = { requireApproval: ["Downtime" as const], windows: [] };
  const found = policiesIn(deploymentOf({ ...operatorDeployment, releasePolicy }));
  assert.deepEqual(found, { policy: { requireApproval: [], windows: [] }, releases: releasePolicy });
});

test("a Deployment from before there were policies has none", () => {
  const none = { requireApproval: [], windows: [] };
  const found = policiesIn({ spec: { template: { spec: { containers: [{}] } } } });
  assert.deepEqual(found, { policy: none, releases: none });
});

test("it is said whose policies hold, and a releasePolicy that there would be holds instead", () => {
  const none = { requireApproval: [], windows: [] };
  const own = { policy: none, releases: none };
  const asks = { requireApproval: ["Downtime" as const], windows: [] };
  const deployed = { policy: none, releases: asks };
  assert.deepEqual(policiesHeld(deployed, own, undefined).policies, deployed);
  assert.match(policiesHeld(deployed, own, undefined).source, /of the Deployment database-operator as it runs/);
  assert.match(policiesHeld(undefined, own, undefined).source, /this machine's environment/);
  const given = policiesHeld(deployed, own, "{}");
  assert.deepEqual(given.policies, own);
  assert.match(given.source, /by the releasePolicy that was given/);
  for (const text of ["{", '{"requireApproval": ["Restart"]}'])
    assert.throws(() => policiesHeld(deployed, own, text), /this is no releasePolicy/);
});

test("variables of a Deployment that are no policy are named", () => {
  const env = [{ name: "DATABASE_OPERATOR_RELEASE_POLICY", value: "{" }];
  const broken = { spec: { template: { spec: { containers: [{ env }] } } } };
  assert.throws(() => policiesIn(broken), /DATABASE_OPERATOR_RELEASE_POLICY of the operator's Deployment is no policy/);
});

test("where it may not be read, or is not there, nothing is known", async () => {
  const refusing = { find: () => Promise.reject(new ApiError(403, "Forbidden", "no")) };
  assert.equal(await platformPolicies(refusing, "system"), undefined);
  assert.equal(await platformPolicies({ find: () => Promise.resolve(undefined) }, "system"), undefined);
});
