// A process with a cluster tied to it, for a test to kill: prints the cluster's directory, then waits forever.
import { startCluster } from "../../tools/cluster/cluster";

async function main(): Promise<void> {
  const [root, name] = process.argv.slice(2);
  if (root === undefined || name === undefined) throw new Error("usage: embedded-cluster-parent <root> <name>");
  const cluster = await startCluster({ root, name, nodes: "simulated", life: "parent" });
  console.log(cluster.directory);
  setInterval(() => undefined, 60_000);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
