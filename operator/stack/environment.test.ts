import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import test from "node:test";
import { kubeconfigOf, operatorsOwn } from "./environment";

test("a kubeconfig that is named by a relative path is found from a run's directory, too", () => {
  const { KUBECONFIG } = kubeconfigOf({ KUBECONFIG: ["here/config", "/etc/config"].join(delimiter) });
  assert.equal(KUBECONFIG, [join(process.cwd(), "here/config"), "/etc/config"].join(delimiter));
  assert.deepEqual(kubeconfigOf({}), {});
  assert.deepEqual(kubeconfigOf({ KUBECONFIG: "" }), {});
});

test("a run gets the operator's own variables, but none of Pulumi's and Node's", () => {
  const given = {
    HOME: "/home/me",
    KUBECONFIG: "config",
    PULUMI_HOME: "/p",
    NODE_OPTIONS: "--inspect",
    UNSET: undefined,
  };
  assert.deepEqual(operatorsOwn(given), { HOME: "/home/me", KUBECONFIG: join(process.cwd(), "config") });
});
