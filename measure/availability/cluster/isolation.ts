// Cuts a pod off: packet filters in its own network namespace, so that nothing that it or the others do can get around them.
import { run } from "../../../tools/host/command";
import { findNetwork, type Network } from "../../../tools/cluster/nodes/real/network";

/**
 * From what a pod is cut off. `members`: from all pods. `services`: from all Services, and so from the Kubernetes API and DNS.
 * `members and services`: from both, as by the loss of a node's network. Clients outside of the cluster and the node's own
 * probes reach the pod in any case.
 */
export type CutOff = "members" | "services" | "members and services";

const table = "availability";

/** The rules. The pods' gateway stays: from there come probes, and what clients send through Services. */
export function rulesOf({ podCidr, serviceCidr }: Pick<Network, "podCidr" | "serviceCidr">, from: CutOff): string {
  const gateway = podCidr.replace(/\.0\/\d+$/, ".1");
  const rules = (side: "saddr" | "daddr"): string[] => [
    `ip ${side} ${gateway} accept`,
    ...(from === "services" ? [] : [`ip ${side} ${podCidr} drop`]),
    ...(from === "members" ? [] : [`ip ${side} ${serviceCidr} drop`]),
  ];
  const chain = (hook: "input" | "output", side: "saddr" | "daddr"): string[] => [
    `  chain ${hook} {`,
    ...[`type filter hook ${hook} priority 0; policy accept;`, ...rules(side)].map((line) => `    ${line}`),
    "  }",
  ];
  return [`table ip ${table} {`, ...chain("input", "saddr"), ...chain("output", "daddr"), "}", ""].join("\n");
}

/** Cuts off the pod that `pid` belongs to; returns how it is ended. */
export async function cutOff(directory: string, pid: number, from: CutOff): Promise<() => Promise<void>> {
  const network = await findNetwork(directory);
  if (network === undefined) throw new Error("the cluster has no real node that runs");
  const inside = ["--net", "--target", String(pid), "nft"];
  await run("nsenter", [...inside, "-f", "-"], { input: rulesOf(network, from) });
  return async () => {
    await run("nsenter", [...inside, "delete", "table", "ip", table]);
  };
}
