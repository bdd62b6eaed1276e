// The cluster of a measurement: one real node, the platform, and an operator that can be stopped.
import type { KubeClient } from "../../operator/kube/client";
import { clientOf } from "../bench/cluster";
import { startOperatorProcess, type OperatorProcess } from "../../test/harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../../test/harness/platform-cluster";
import { openPodProcesses, type PodProcesses } from "./cluster/pod-processes";
import type { Mode } from "./matrix";

/** What reaches into a cluster past kubectl. */
export interface StageTools {
  readonly client: KubeClient;
  readonly processes: PodProcesses;
  close(): Promise<void>;
}

/** Needs a real node. */
export async function openTools({ cluster }: Pick<PlatformCluster, "cluster">): Promise<StageTools> {
  const processes = await openPodProcesses(cluster.directory);
  const client = clientOf(cluster.kubeconfig, "availability");
  return { client, processes, close: () => client.close() };
}

export interface Stage extends Pick<StageTools, "client" | "processes"> {
  readonly platform: PlatformCluster;
  /** Starts or stops the operator, where that is needed. */
  setMode(mode: Mode): Promise<void>;
  stop(): Promise<void>;
}

export const namespace = "availability";

/** Starts it; it ends with this process. `extraImages`: names of images beside those that every cluster gets. */
export async function openStage(extraImages: readonly string[] = []): Promise<Stage> {
  const platform = await startPlatformCluster({ nodes: "real", extraImages });
  let operator: OperatorProcess | undefined;
  const setMode = async (mode: Mode): Promise<void> => {
    if (mode === "operator stopped") {
      await operator?.stop();
      operator = undefined;
    } else operator ??= await startOperatorProcess({ environment: platform.operatorEnvironment });
  };
  try {
    await platform.kubectl("create", "namespace", namespace);
    await platform.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    const tools = await openTools(platform);
    const { client, processes } = tools;
    return {
      ...{ platform, client, processes, setMode },
      async stop() {
        await setMode("operator stopped");
        await tools.close();
        await platform.stop();
      },
    };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}
