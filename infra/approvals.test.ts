// What of approvals shows without an API server; test/cluster/approvals.test.ts has one.
import assert from "node:assert/strict";
import test from "node:test";
import { releaseEffects } from "../contract/effects";
import { operatorDeployment } from "../test/fakes/operator-deployment";
import { approvalPolicyOf } from "./approvals";
import { settingsOf } from "./config";
import { deploymentOf } from "./deployment";
import { tenantRoles } from "./tenants";

const textOf = (approverMayBeAuthor: boolean): string => JSON.stringify(approvalPolicyOf({ approverMayBeAuthor }));

test("what is not about changes does not come to the policy, and what is fails closed", () => {
  const { failurePolicy, matchConditions } = approvalPolicyOf({ approverMayBeAuthor: true });
  assert.equal(failurePolicy, "Fail");
  assert.equal(
    JSON.stringify(matchConditions).match(/database\.example\.com\/(approve|approve-now|approved-by|changed-by)'/g)
      ?.length,
    8,
  );
});

test("an author is refused where the platform says so, and nowhere else", () => {
  assert.ok(!textOf(true).includes("another person must approve it"));
  assert.ok(textOf(false).includes("another person must approve it"));
});

test("an account of the Database's own namespace approves nothing, as others can act as it", () => {
  const own = "!request.userInfo.username.startsWith('system:serviceaccount:' + object.metadata.namespace + ':')";
  const { validations = [] } = approvalPolicyOf({ approverMayBeAuthor: true });
  assert.ok(JSON.stringify(validations).includes(`!variables.approves || ${own}`));
});

test("the operator hears of the platform's policy, and that approvals are judged", () => {
  const changePolicy = settingsOf({ changePolicy: { requireApproval: ["DataLoss"] } }, "/").changePolicy;
  const text = JSON.stringify(deploymentOf({ ...operatorDeployment, changePolicy, approverMayBeAuthor: false }));
  const quoted = JSON.stringify(JSON.stringify({ requireApproval: ["DataLoss"], windows: [] }));
  assert.ok(text.includes(`{"name":"DATABASE_OPERATOR_CHANGE_POLICY","value":${quoted}}`), text);
  assert.match(text, /"DATABASE_OPERATOR_APPROVALS","value":"true"/);
  assert.match(text, /"DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR","value":"false"/);
});

test("a release restarts nothing that did not agree, unless the platform says so", () => {
  const variableOf = (raw: object): string =>
    JSON.stringify(deploymentOf({ ...operatorDeployment, releasePolicy: settingsOf(raw, "/").releasePolicy }));
  assert.deepEqual(settingsOf({}, "/").releasePolicy.requireApproval, releaseEffects);
  assert.match(variableOf({}), /DATABASE_OPERATOR_RELEASE_POLICY","value":"{[^}]*RollingRestart[^}]*Downtime/);
  assert.match(variableOf({ releasePolicy: {} }), /DATABASE_OPERATOR_RELEASE_POLICY","value":"{[^}]*\[\],/);
});

test("a policy that cannot be is refused before anything is installed", () => {
  const wrong = { requireApproval: ["Restart"] };
  assert.throws(() => settingsOf({ changePolicy: wrong }, "/"), /changePolicy.requireApproval.0/);
  const window = { schedule: "0 2 * * *", duration: "two hours" };
  assert.throws(() => settingsOf({ changePolicy: { windows: [window] } }, "/"), /must be hours, minutes or both/);
});

test("the right to approve is in no role that others are made of", () => {
  const { approve, ...others } = tenantRoles;
  assert.deepEqual(approve?.addsTo, []);
  assert.ok(JSON.stringify(approve).includes('"approve"'));
  assert.ok(!JSON.stringify(others).includes('"approve"'));
});
