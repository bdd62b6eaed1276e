// What deployed operators wrote, by the audit log, and signals to their processes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { eventually } from "../../harness/eventually";
import { processesOf, writesOf, type OperatorPod, type OperatorWrite } from "../../harness/operator-pods";
import type { PlatformCluster } from "../../harness/platform-cluster";
import { sendSignal } from "../../harness/signal";

/** What the operators of a cluster wrote that is about the Databases of one namespace: their own webhooks are theirs to write. */
export class DeployedWrites {
  readonly #platform: PlatformCluster;
  readonly #namespace: string;
  #marks = 0;

  constructor(platform: PlatformCluster, namespace: string) {
    this.#platform = platform;
    this.#namespace = namespace;
  }

  /** By a pod (default: any), received since `since`, in milliseconds since 1970, and before now. */
  async since(since: number, pod?: OperatorPod): Promise<OperatorWrite[]> {
    await this.#untilWritten();
    const records = `/secrets/state.${this.#namespace}.`;
    return (await writesOf(this.#platform.cluster.auditLog, since, pod)).filter(
      ({ request }) => request.includes(`/namespaces/${this.#namespace}/`) || request.includes(records),
    );
  }

  /** The audit log lags behind the answers: what this creates itself is in it once all from before is. */
  async #untilWritten(): Promise<void> {
    const { kubectl, cluster } = this.#platform;
    this.#marks += 1;
    const mark = `audited-${process.pid}-${Date.now()}-${this.#marks}`;
    await kubectl("get", "--raw", `/api/v1/namespaces/${this.#namespace}/configmaps?labelSelector=${mark}`);
    await eventually(async () => {
      assert.ok((await readFile(cluster.auditLog, "utf8")).includes(mark));
    });
  }
}

/** The processes in which runs of this operator reach the API server. */
export async function providersOf(pod: OperatorPod): Promise<readonly number[]> {
  const pids = await processesOf(pod);
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_, index) => commands[index]?.includes("pulumi-resource-kubernetes"));
}

/** Sends a signal to all processes of a pod. */
export async function signalAll(pod: OperatorPod, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void> {
  const pids = await processesOf(pod);
  assert(pids.length >= 2, `the node shows ${pids.length} processes of ${pod.name}`);
  for (const pid of pids) sendSignal(pid, name);
}
