// What makes Services and their names work on the node: kube-proxy and CoreDNS.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolPath } from "../../control-plane";
import type { NodeCluster } from "../nodes";
import { NODE_NAME } from "./kubelet";
import type { Network } from "./network";
import { NODE, type Sandbox } from "./sandbox";

/** Starts kube-proxy, which rewrites packets to Services by nftables rules in the node's own network namespace. */
export async function startProxy(cluster: NodeCluster, sandbox: Sandbox, network: Network): Promise<void> {
  const { nodes } = cluster.layout;
  await cluster.certificates.kubeconfig({
    name: "kube-proxy",
    subject: { user: "system:kube-proxy" },
    server: `https://${network.hostAddress}:${cluster.apiServerPort}`,
    file: join(nodes, "kube-proxy.kubeconfig"),
  });
  const config = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clientConnection: { kubeconfig: `${NODE}/kube-proxy.kubeconfig` },
    mode: "nftables",
    clusterCIDR: network.podCidr,
    hostnameOverride: NODE_NAME,
    bindAddress: network.nodeAddress,
    oomScoreAdj: 0,
    // limits of connection tracking belong to the machine
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    nftables: { minSyncPeriod: "100ms" },
  };
  await writeFile(join(nodes, "kube-proxy.json"), JSON.stringify(config, null, 2));
  const args = [`--config=${NODE}/kube-proxy.json`];
  sandbox.start({ name: "node-kube-proxy", command: toolPath(cluster.tools, "kube-proxy"), args });
}

const DNS_PORT = 53;

/** Starts CoreDNS as a process of the node and makes it the Service kube-dns. */
export async function startDns(cluster: NodeCluster, sandbox: Sandbox, network: Network): Promise<void> {
  const { nodes } = cluster.layout;
  await cluster.certificates.kubeconfig({
    name: "coredns",
    subject: { user: "system:coredns" },
    server: `https://${network.hostAddress}:${cluster.apiServerPort}`,
    file: join(nodes, "coredns.kubeconfig"),
  });
  await writeFile(join(nodes, "Corefile"), corefile(network));
  for (const [path, object] of dnsObjects(network)) await cluster.api.apply(path, object);
  sandbox.start({
    name: "node-coredns",
    command: toolPath(cluster.tools, "coredns"),
    args: ["-conf", `${NODE}/Corefile`],
  });
}

/** Names outside of the cluster do not exist: pods reach nothing outside, and should learn so at once. */
function corefile({ nodeAddress }: Network): string {
  return `cluster.local:${DNS_PORT} in-addr.arpa:${DNS_PORT} {
  bind ${nodeAddress}
  errors
  kubernetes {
    kubeconfig ${NODE}/coredns.kubeconfig
    ttl 5
  }
}
.:${DNS_PORT} {
  bind ${nodeAddress}
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;
}

/** Objects for DNS by their API paths: the Service with the node as its endpoint, and what CoreDNS may read. */
export function dnsObjects({ nodeAddress, dnsAddress }: Network): [path: string, object: object][] {
  const rbac = "rbac.authorization.k8s.io";
  const ports = [
    { name: "dns", protocol: "UDP", port: DNS_PORT },
    { name: "dns-tcp", protocol: "TCP", port: DNS_PORT },
  ];
  const read = (apiGroup: string, ...resources: string[]): object => ({
    apiGroups: [apiGroup],
    resources,
    verbs: ["list", "watch"],
  });
  return [
    [
      `/apis/${rbac}/v1/clusterroles/system:coredns`,
      {
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRole",
        metadata: { name: "system:coredns" },
        rules: [read("", "services", "pods", "namespaces"), read("discovery.k8s.io", "endpointslices")],
      },
    ],
    [
      `/apis/${rbac}/v1/clusterrolebindings/system:coredns`,
      {
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: "system:coredns" },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:coredns" },
        subjects: [{ apiGroup: rbac, kind: "User", name: "system:coredns" }],
      },
    ],
    [
      "/api/v1/namespaces/kube-system/services/kube-dns",
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "kube-dns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
        spec: { clusterIP: dnsAddress, ports },
      },
    ],
    [
      "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices/kube-dns",
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "kube-dns", namespace: "kube-system", labels: { "kubernetes.io/service-name": "kube-dns" } },
        addressType: "IPv4",
        endpoints: [{ addresses: [nodeAddress], conditions: { ready: true } }],
        ports,
      },
    ],
  ];
}
