// The cluster of a measurement: one real node, the platform, and an operator that can be killed.
import { openTools, type StageTools } from "../../availability/stage";
import { startOperatorProcess } from "../../../test/harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../../../test/harness/platform-cluster";

export interface Stage extends Pick<StageTools, "processes"> {
  readonly platform: PlatformCluster;
  /** SIGKILL of the operator; another one is started at once. */
  killOperator(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it; it ends with this process. */
export async function openStage(): Promise<Stage> {
  const platform = await startPlatformCluster({ nodes: "real" });
  try {
    const tools = await openTools(platform);
    const start = (): ReturnType<typeof startOperatorProcess> =>
      startOperatorProcess({ environment: platform.operatorEnvironment });
    let operator = await start();
    return {
      ...{ platform, processes: tools.processes },
      async killOperator() {
        await operator.kill();
        operator = await start();
      },
      async stop() {
        await operator.stop();
        await tools.close();
        await platform.stop();
      },
    };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}
