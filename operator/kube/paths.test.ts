import assert from "node:assert/strict";
import test from "node:test";
import { collection, item, resources } from "./paths";

test("a name never leads to another path than its own", () => {
  for (const name of ["", ".", "..", "foo/bar", "kube-system/secrets/foo?"]) {
    assert.throws(() => item(resources.configMaps, "team", name), /cannot name an object/, name);
    assert.throws(() => collection(resources.configMaps, name), /cannot name an object/, name);
  }
  assert.equal(item(resources.configMaps, "team", "a?b#c%2f"), "/api/v1/namespaces/team/configmaps/a%3Fb%23c%252f");
  assert.equal(
    item(resources.roles, "team", "system:reader"),
    "/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/system:reader",
  );
});
