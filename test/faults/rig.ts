// Where faults are tried: a cluster with the platform, the proxy in front of it, and an operator that goes through it.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../tools/cluster/cluster";
import { layoutOf } from "../../tools/cluster/layout";
import { openProcesses } from "../../tools/cluster/processes";
import type { FaultProxy } from "../harness/fault-proxy";
import type { Kubectl } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import {
  simulatedCatalogue,
  simulatedNodes,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";
import { startProxy, throughProxy } from "../harness/proxied";

export interface Rig {
  readonly platform: PlatformCluster;
  /** As cluster-admin, past the proxy. */
  readonly kubectl: Kubectl;
  readonly proxy: FaultProxy;
  /** Of the operator's ServiceAccount, through the proxy. */
  readonly kubeconfig: string;
  /** The one that was started last. */
  readonly operator: OperatorProcess;
  /** Starts another in place of one that has ended, with its settings; it finds the previous directory, unless it is `elsewhere`. */
  startSuccessor(where?: "here" | "elsewhere"): Promise<OperatorProcess>;
  /** Stops it and starts another, with other settings, or past the proxy. */
  restart(how?: StartOptions): Promise<OperatorProcess>;
  /** SIGKILL; what was acknowledged is in etcd. */
  killApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** A second one beside it, which the caller stops. */
  startAnother(): Promise<OperatorProcess>;
  stop(): Promise<void>;
}

/** Settings of an operator that starts a Pulumi CLI, and that a provider, for each run. */
export const overTheCli = { DATABASE_OPERATOR_PULUMI: "cli" } as const;

/** How an operator is started. */
export interface StartOptions {
  /** Environment variables of the operator; default: those that the rig was opened with. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Past the proxy. */
  readonly direct?: boolean;
}

/** `settings` are environment variables of the operator. */
export async function openRig(settings: Readonly<Record<string, string>> = {}): Promise<Rig> {
  const platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  const proxy = await startProxy(platform.cluster);
  const directory = await mkdtemp(join(tmpdir(), "faults-"));
  const kubeconfig = join(directory, "kubeconfig");
  const direct = platform.operatorEnvironment["KUBECONFIG"] ?? "";
  await writeFile(kubeconfig, throughProxy(await readFile(direct, "utf8"), proxy.url), { mode: 0o600 });
  const environmentFor = (how: StartOptions): Readonly<Record<string, string>> => ({
    ...platform.operatorEnvironment,
    ...(how.settings ?? settings),
    ...(how.direct === true ? {} : { KUBECONFIG: kubeconfig }),
  });
  let environment = environmentFor({});
  const started = [await startOperatorProcess({ environment })];
  const latest = (): OperatorProcess => {
    const operator = started.at(-1);
    if (operator === undefined) throw new Error("no operator was started");
    return operator;
  };
  return {
    platform,
    kubectl: platform.kubectl,
    proxy,
    kubeconfig,
    get operator() {
      return latest();
    },
    async startSuccessor(where = "here") {
      const { workDirectory } = latest();
      started.push(await startOperatorProcess({ environment, ...(where === "here" ? { workDirectory } : {}) }));
      return latest();
    },
    async restart(how = {}) {
      await latest().stop();
      environment = environmentFor(how);
      started.push(await startOperatorProcess({ environment }));
      return latest();
    },
    killApiServer: () => openProcesses(layoutOf(platform.cluster.directory)).stop("kube-apiserver"),
    async startApiServer() {
      await startCluster({ name: platform.cluster.name, ...simulatedNodes });
    },
    startAnother: () => startOperatorProcess({ environment }),
    async stop() {
      proxy.clear();
      for (const operator of started.reverse()) await operator.stop();
      await proxy.stop();
      await rm(directory, { recursive: true, force: true });
      await platform.stop();
    },
  };
}
