// Enforces NetworkPolicies on the real node of a cluster, whose network of its own enforces none: kube-network-policies
// judges the first packet of every connection, and iptables hands it over.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { provideTools } from "../../tools/build/build";
import { layoutOf } from "../../tools/cluster/layout";
import { NODE_NAME } from "../../tools/cluster/nodes/real/kubelet";
import { findNetwork } from "../../tools/cluster/nodes/real/network";
import { findSandbox, type Sandbox } from "../../tools/cluster/nodes/real/sandbox";
import { openProcesses } from "../../tools/cluster/processes";
import { ensurePackages } from "../../tools/host/packages";
import { progressTo } from "../../tools/progress";
import { eventually } from "./eventually";

const QUEUE = "100";

/**
 * Its own rules need a kernel with `queue` of nftables (NFT_QUEUE), which many small kernels lack; these say the same to
 * those that have iptables' NFQUEUE. What the node's own programs send, such as probes, is let through.
 */
const rules: readonly (readonly string[])[] = [
  ["-m", "owner", "--uid-owner", "0", "-j", "ACCEPT"],
  ["-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED", "-j", "ACCEPT"],
  ["-j", "NFQUEUE", "--queue-num", QUEUE],
];

/** Where the API server is for the node and its pods. */
export interface Enforced {
  readonly apiServer: { readonly address: string; readonly port: number };
}

/** Starts to enforce on the cluster in `directory`, whose kubeconfig is cluster-admin's; it ends with the node. */
export async function enforceNetworkPolicies(directory: string, kubeconfig: string): Promise<Enforced> {
  const log = (line: string): void => {
    console.error(line);
  };
  await ensurePackages([{ name: "iptables", provides: "iptables-nft" }], log);
  const tools = await provideTools(["kube-network-policies"], { progress: progressTo(log) });
  const layout = layoutOf(directory);
  const [network, sandbox] = [
    await findNetwork(directory),
    await findSandbox({ layout, processes: openProcesses(layout) }),
  ];
  if (!network || !sandbox) throw new Error("the cluster has no real node that runs");
  const text = await readFile(kubeconfig, "utf8");
  const port = Number(/server: https:\/\/[^:]+:(\d+)/.exec(text)?.[1]);
  const own = join(layout.nodes, "enforcer.kubeconfig");
  await writeFile(own, text.replace(/(server: https:\/\/)[^:]+/, `$1${network.hostAddress}`), { mode: 0o600 });
  const args = [`--kubeconfig=${own}`, `--hostname-override=${NODE_NAME}`, `--nfqueue-id=${QUEUE}`];
  const settings = ["--disable-nri", "--fail-open=false", "--metrics-bind-address=127.0.0.1:9080"];
  const command = tools.get("kube-network-policies") ?? "";
  sandbox.start({ name: "node-enforcer", command, args: [...args, ...settings] });
  await untilListening(sandbox);
  for (const rule of rules) await sandbox.run("iptables-nft", ["-t", "mangle", "-A", "POSTROUTING", ...rule]);
  return { apiServer: { address: network.hostAddress, port } };
}

/** Before that, packets that are handed over would be lost. */
async function untilListening(sandbox: Sandbox): Promise<void> {
  await eventually(async () => {
    const queues = await sandbox.run("cat", ["/proc/net/netfilter/nfnetlink_queue"]);
    if (!queues.split("\n").some((line) => line.trim().startsWith(`${QUEUE} `)))
      throw new Error("the enforcer does not listen yet");
  });
}
