// The cluster of a benchmark: the embedded control plane with simulated nodes, and the platform as `pulumi up` installs it.
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { accessOf } from "../../operator/kube/access";
import { KubeClient } from "../../operator/kube/client";
import { toolsOnPath } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { layoutOf } from "../../tools/cluster/layout";
import { openProcesses } from "../../tools/cluster/processes";
import { runPlatform } from "../../tools/platform/platform";
import type { Progress } from "../../tools/progress";
import { kubectlFor } from "../../test/harness/kubectl";
import { kubeconfigOf, simulatedCatalogue } from "../../test/harness/platform-cluster";
import { familyOf } from "./instruments/proc";

export interface BenchCluster {
  /** As cluster-admin, over kept-alive connections. */
  readonly client: KubeClient;
  /** PATH with the tools, and cluster-admin's KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same with the operator's ServiceAccount. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  readonly auditLog: string;
  /** CPU time of the control plane and of what simulates nodes, since they started. */
  cpuSeconds(): number;
  /** For files of this run; removed with the cluster. */
  readonly directory: string;
  stop(): Promise<void>;
}

export const operatorNamespace = "database-operator-system";
export const operatorUser = `system:serviceaccount:${operatorNamespace}:database-operator`;

/** Starts a cluster that ends with this process. Nothing judges invariants here: that would cost CPU while it is measured. */
export async function startBenchCluster(progress: Progress): Promise<BenchCluster> {
  const bin = await toolsOnPath({ progress });
  const cluster = await startCluster({ nodes: "simulated", life: "parent", progress });
  const directory = await mkdtemp(join(tmpdir(), "bench-"));
  process.once("exit", () => {
    // a run that was interrupted leaves nothing behind
    rmSync(directory, { recursive: true, force: true });
  });
  const path = [bin, process.env["PATH"] ?? ""].join(delimiter);
  const environment = { PATH: path, KUBECONFIG: cluster.kubeconfig };
  const client = clientOf(cluster.kubeconfig, "bench");
  const end = async (): Promise<void> => {
    await client.close();
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const catalogueFile = join(directory, "catalogue.json");
    await writeFile(catalogueFile, JSON.stringify(simulatedCatalogue));
    await progress.step("pulumi up", () =>
      runPlatform({ environment, directory: join(directory, "platform"), catalogueFile }),
    );
    const kubeconfig = join(directory, "operator.kubeconfig");
    await writeFile(kubeconfig, await kubeconfigOf("database-operator", kubectlFor(environment)), { mode: 0o600 });
    const operatorEnvironment = { PATH: path, KUBECONFIG: kubeconfig };
    const { auditLog } = cluster;
    const cpuSeconds = (): number => cpuSecondsOf(cluster);
    return { client, environment, operatorEnvironment, auditLog, cpuSeconds, directory, stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function cpuSecondsOf({ directory }: Pick<Cluster, "directory">): number {
  const processes = openProcesses(layoutOf(directory));
  const roots = processes.names().flatMap((name) => processes.pid(name) ?? []);
  return [...familyOf(roots).values()].reduce((sum, seconds) => sum + seconds, 0);
}

/** A client of the cluster of that kubeconfig. */
export function clientOf(kubeconfig: string, fieldManager: string): KubeClient {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return new KubeClient(accessOf(config), fieldManager);
}
