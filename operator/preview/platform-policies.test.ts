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

test("of a Deployment from before there was a policy for releases, it is what the platform sets", () => {
  const { releases } = policiesIn({ spec: { template: { spec: { containers: [{}] } } } });
  assert.ok(releases.requireApproval.includes("RollingRestart"));
});

test("where it may not be read, or is not there, nothing is known", async () => {
  const refusing = { find: () => Promise.reject(new ApiError(403, "Forbidden", "no")) };
  assert.equal(await platformPolicies(refusing, "system"), undefined);
  assert.equal(await platformPolicies({ find: () => Promise.resolve(undefined) }, "system"), undefined);
});
