import assert from "node:assert/strict";
import test from "node:test";
import { KubeConfig } from "@kubernetes/client-node";
import { kubeconfigOf } from "./kubeconfig";

test("a kubeconfig names one cluster and user, and carries the certificates inside", () => {
  const config = new KubeConfig();
  config.loadFromString(
    kubeconfigOf({
      name: "default",
      server: "https://127.0.0.1:21044",
      certificateAuthority: "authority",
      user: "admin",
      certificate: "certificate",
      key: "key",
    }),
  );
  const decode = (data: string | undefined): string => Buffer.from(data ?? "", "base64").toString();
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  assert.equal(config.getCurrentContext(), "default");
  assert.equal(cluster?.server, "https://127.0.0.1:21044");
  assert.equal(cluster.skipTLSVerify, false);
  assert.equal(user?.name, "admin");
  assert.deepEqual(
    [cluster.caData, user.certData, user.keyData].map((data) => decode(data)),
    ["authority", "certificate", "key"],
  );
});
