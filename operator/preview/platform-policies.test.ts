import assert from "node:assert/strict";
import test from "node:test";
import { deploymentOf } from "../../infra/deployment";
import { operatorDeployment } from "../../test/fakes/operator-deployment";
import { ApiError } from "../kube/client";
import { platformPolicies, policiesIn } from "./platform-policies";

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

test("where it may not be read, or is not there, nothing is known", async () => {
  const refusing = { find: () => Promise.reject(new ApiError(403, "Forbidden", "no")) };
  assert.equal(await platformPolicies(refusing, "system"), undefined);
  assert.equal(await platformPolicies({ find: () => Promise.resolve(undefined) }, "system"), undefined);
});
