// Nodes that exist only in the API server: kwok plays the kubelet, so pods become Ready without any container.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { waitFor } from "../../../host/wait";
import { mustRun, toolPath } from "../../control-plane";
import type { NodeCluster, NodePool } from "../nodes";
import { guardDeletions, kwokUser } from "./guard";

/** What is simulated. */
export interface SimulatedNodesArgs {
  /** Number of nodes. Default 2. */
  count?: number;
  /** Files with further kwok Stages, for what a test wants to happen to its pods. */
  stages?: readonly string[];
  /** Whether CronJobs begin Jobs when their time comes. Default: true; a test that counts what is written has no use for them. */
  schedules?: boolean;
}

const DEFAULT_COUNT = 2;
const TIMEOUT_SECONDS = 30;
const PROCESS = "kwok";

/** Simulated nodes. Jobs complete, claims grow, and pods of databases get their role: see stages.yaml. */
export function simulatedNodes(args: SimulatedNodesArgs = {}): NodePool {
  const names = Array.from({ length: args.count ?? DEFAULT_COUNT }, (_, index) => `simulated-${index}`);
  const stages = [join(__dirname, "stages.yaml"), ...(args.stages ?? [])];
  return {
    kind: "simulated",
    controlPlaneOptions: () =>
      Promise.resolve({
        tools: ["kwok"],
        ...(args.schedules === false && { controllerManagerFlags: ["--controllers=*,-cronjob-controller"] }),
      }),
    async start(cluster) {
      await guardDeletions(cluster);
      await startKwok(cluster, stages);
      for (const name of names) await cluster.api.apply(`/api/v1/nodes/${name}`, nodeOf(name));
      const look = async (): Promise<true | undefined> => {
        mustRun([PROCESS], cluster.processes);
        return (await areReady(cluster, names)) ? true : undefined;
      };
      await waitFor(look, { what: "the nodes to be Ready", timeoutSeconds: TIMEOUT_SECONDS, signal: cluster.signal });
    },
    stop: ({ processes }) => processes.stop(PROCESS),
    isRunning: ({ processes }) => Promise.resolve(processes.isRunning(PROCESS)),
  };
}

async function startKwok(cluster: NodeCluster, stages: readonly string[]): Promise<void> {
  const texts = await Promise.all(stages.map((file) => readFile(file, "utf8")));
  const config = join(cluster.directory, "kwok.yaml");
  await writeFile(config, texts.join("\n---\n"));
  const subject = { user: kwokUser, groups: ["system:masters"] };
  const kubeconfig = await cluster.certificates.kubeconfig({ name: PROCESS, subject, server: cluster.apiServer });
  cluster.processes.start({
    name: PROCESS,
    command: toolPath(cluster.tools, "kwok"),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${config}`,
      "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
      "--node-lease-duration-seconds=40",
    ],
  });
}

/** More than any test asks for; kwok by itself gives nodes no ephemeral storage. */
const ROOM = { cpu: "1k", memory: "1Ti", "ephemeral-storage": "1Ti", pods: "1M" };

function nodeOf(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
    },
    status: { capacity: ROOM, allocatable: ROOM },
  };
}

const NodeStatus = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

async function areReady(cluster: NodeCluster, names: readonly string[]): Promise<boolean> {
  const nodes = await Promise.all(names.map((name) => cluster.api.request("GET", `/api/v1/nodes/${name}`)));
  return nodes.every((node) =>
    NodeStatus.parse(node).status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
  );
}
