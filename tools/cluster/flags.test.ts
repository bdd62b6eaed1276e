import assert from "node:assert/strict";
import test from "node:test";
import { type ApiServerArgs, apiServerFlags, controllerManagerFlags, etcdFlags, firstServiceAddress } from "./flags";
import { layoutOf } from "./layout";

const files = { certificate: "/c/x.crt", key: "/c/x.key" };
const apiServer: ApiServerArgs = {
  layout: layoutOf("/clusters/default"),
  port: 21044,
  etcdPort: 21045,
  serviceCidr: "10.96.0.0/16",
  authority: "/c/ca.crt",
  server: files,
  etcdClient: files,
  kubeletClient: files,
  serviceAccounts: files,
  frontProxy: { ...files, name: "front-proxy-client" },
};

test("without an address for pods, the API server listens on this machine only", () => {
  const flags = apiServerFlags(apiServer);
  assert(flags.includes("--bind-address=127.0.0.1") && flags.includes("--endpoint-reconciler-type=none"));
});

test("with an address for pods, the API server advertises it and listens everywhere", () => {
  const flags = apiServerFlags({ ...apiServer, advertiseAddress: "10.244.0.1" });
  assert(flags.includes("--advertise-address=10.244.0.1") && flags.includes("--bind-address=0.0.0.0"));
  assert(!flags.some((flag) => flag.startsWith("--endpoint-reconciler-type")));
});

test("the API server authenticates, authorizes and audits requests", () => {
  const flags = apiServerFlags(apiServer);
  assert(flags.includes("--authorization-mode=Node,RBAC"));
  assert(flags.includes("--client-ca-file=/c/ca.crt"));
  assert(flags.includes("--audit-log-path=/clusters/default/audit.log"));
  assert(flags.includes("--requestheader-allowed-names=front-proxy-client"));
});

test("flags of the nodes come last, so that they count", () => {
  assert.equal(apiServerFlags({ ...apiServer, extra: ["--secure-port=1"] }).at(-1), "--secure-port=1");
});

test("etcd serves no client without a certificate", () => {
  const flags = etcdFlags({ layout: apiServer.layout, port: 21045, authority: "/c/ca.crt", server: files });
  assert(flags.includes("--client-cert-auth") && flags.includes("--listen-client-urls=https://127.0.0.1:21045"));
});

test("the controller manager provisions directories only where it should", () => {
  const flags = (hostPathVolumes: boolean): string[] =>
    controllerManagerFlags({
      kubeconfig: "/k",
      authority: "/c",
      authorityKey: "/k",
      serviceAccounts: files,
      hostPathVolumes,
    });
  assert(flags(true).includes("--enable-hostpath-provisioner=true"));
  assert(flags(false).includes("--enable-hostpath-provisioner=false"));
});

test("the first Service gets the first address of the range", () => {
  assert.equal(firstServiceAddress("10.96.0.0/16"), "10.96.0.1");
  assert.throws(() => firstServiceAddress("fd00::/108"), /not a range of IPv4 addresses/);
});
