// The processes of a member's pod as this machine sees them, for faults that come without notice.
import { readFile } from "node:fs/promises";
import { processesOfPod } from "../../../tools/cluster/nodes/real/cgroups";
import { findNetwork } from "../../../tools/cluster/nodes/real/network";

/** A process, by its number on this machine. */
export interface PodProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** As /proc says it: `T` is stopped, `Z` has ended. */
  readonly state: string;
}

/** Finds the processes of pods in one cluster. */
export interface PodProcesses {
  /** All that live; the pod's sandbox is one of them. */
  of(uid: string): Promise<readonly PodProcess[]>;
}

/** For the cluster in `directory`. Throws where it has no real node. */
export async function openPodProcesses(directory: string): Promise<PodProcesses> {
  const network = await findNetwork(directory);
  if (network === undefined) throw new Error("the cluster has no real node that runs");
  return {
    async of(uid) {
      const found = await Promise.all((await processesOfPod(network.link, uid)).map(processOf));
      return found.filter((process) => process !== undefined).filter(({ state }) => state !== "Z");
    },
  };
}

async function processOf(pid: number): Promise<PodProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // the name is in brackets and may hold anything
  const [start, end] = [stat.indexOf("("), stat.lastIndexOf(")")];
  if (start < 0) return undefined;
  const [state = "", parent = ""] = stat.slice(end + 2).split(" ");
  return { pid, parent: Number(parent), name: stat.slice(start + 1, end), state };
}

/** The process that holds the pod's namespaces; where it dies, the pod is created again. */
export const isSandbox = ({ name }: PodProcess): boolean => name === "pause";

/** The server's main process: of those with its name the one whose parent has another. Throws where there is none. */
export function mainProcess(processes: readonly PodProcess[], name: string): PodProcess {
  const servers = processes.filter((process) => process.name === name);
  const main = servers.find(({ parent }) => !servers.some(({ pid }) => pid === parent));
  if (main === undefined) throw new Error(`the pod has no process ${name}`);
  return main;
}
