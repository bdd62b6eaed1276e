// The node's kubelet: its configuration, and when it counts as Ready.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { waitFor } from "../../../host/wait";
import { getIfThere, mustRun, toolPath } from "../../control-plane";
import type { NodeCluster } from "../nodes";
import { cgroupRoot } from "./cgroups";
import { CONTAINERD_SOCKET } from "./containerd";
import type { Network } from "./network";
import { NODE, type Sandbox } from "./sandbox";

/** Name of the one node of a real cluster. */
export const NODE_NAME = "node-1";

const PROCESS = "node-kubelet";

/** Starts the kubelet. */
export async function startKubelet(cluster: NodeCluster, sandbox: Sandbox, network: Network): Promise<void> {
  const { nodes } = cluster.layout;
  await mkdir(join(nodes, "kubelet"), { recursive: true });
  await copyFile(cluster.certificates.authority, join(nodes, "ca.crt"));
  await writeFile(join(nodes, "kubelet.json"), JSON.stringify(kubeletConfig(network), null, 2));
  // pods resolve by the cluster's own DNS alone
  await writeFile(join(nodes, "resolv.conf"), "");
  await cluster.certificates.kubeconfig({
    name: "kubelet",
    subject: { user: `system:node:${NODE_NAME}`, groups: ["system:nodes"] },
    server: `https://${network.hostAddress}:${cluster.apiServerPort}`,
    file: join(nodes, "kubelet.kubeconfig"),
  });
  const flags = [
    `--config=${NODE}/kubelet.json`,
    `--kubeconfig=${NODE}/kubelet.kubeconfig`,
    `--root-dir=${NODE}/kubelet`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${network.nodeAddress}`,
  ];
  sandbox.start({ name: PROCESS, command: toolPath(cluster.tools, "kubelet"), args: flags });
}

/** kubelet's configuration file. */
export function kubeletConfig({ link, dnsAddress, podCidr }: Network): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${NODE}/ca.crt` },
    },
    authorization: { mode: "Webhook" },
    podCIDR: podCidr,
    clusterDNS: [dnsAddress],
    clusterDomain: "cluster.local",
    resolvConf: `${NODE}/resolv.conf`,
    podLogsDir: `${NODE}/pod-logs`,
    cgroupDriver: "cgroupfs",
    cgroupRoot: cgroupRoot(link),
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    // machines without CAP_SYS_RESOURCE cannot lower it
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    // images cannot be pulled again, and the machine's disk is not ours to judge: nothing is evicted for its sake
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%" },
    syncFrequency: "10s",
    nodeStatusUpdateFrequency: "2s",
    nodeStatusReportFrequency: "1m",
    // tests create many pods at once
    serializeImagePulls: false,
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    registryPullQPS: 0,
  };
}

const Condition = z.object({ type: z.string(), status: z.string(), lastHeartbeatTime: z.iso.datetime().nullish() });
const Node = z.object({ status: z.object({ conditions: z.array(Condition).default([]) }) });

/** Returns when the node has reported to the API server that it is Ready, at `since` or later: before, another life of it may have. */
export async function untilReady({ api, processes, signal }: NodeCluster, since: Date): Promise<void> {
  // the API server's times have no fractions of seconds
  const earliest = Math.floor(since.getTime() / 1000) * 1000;
  const look = async (): Promise<true | undefined> => {
    mustRun([PROCESS], processes);
    const found = await getIfThere(api, `/api/v1/nodes/${NODE_NAME}`);
    const conditions = found === undefined ? [] : Node.parse(found).status.conditions;
    const ready = conditions.find(({ type }) => type === "Ready");
    return ready?.status === "True" && Date.parse(ready.lastHeartbeatTime ?? "") >= earliest ? true : undefined;
  };
  await waitFor(look, { what: "the node to be Ready", timeoutSeconds: 120, signal });
}
