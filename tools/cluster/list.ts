// Lists the clusters of this machine with what is left of them.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../host/identity";
import { isCode } from "../host/lock";
import { silent } from "../progress";
import { controlPlaneTools } from "./control-plane";
import { placeOf } from "./end";
import { layoutOf } from "./layout";
import { poolOf } from "./nodes/choose";
import { type ClusterState, readState } from "./state";

/** A cluster in a list. */
export interface ClusterSummary {
  name: string;
  directory: string;
  kubeconfig: string;
  /**
   * `running`; `starting`; `partly` when some of its processes have ended; `stopped` when all have; `orphaned` when it
   * should have ended with its process; `damaged` when its state cannot be read.
   */
  state: "running" | "starting" | "partly" | "stopped" | "orphaned" | "damaged";
  /** `real`, `simulated`, or `?`. */
  nodes: string;
  ageMilliseconds?: number;
}

/** The clusters under `root`, by name. */
export async function listClusters(root: string): Promise<ClusterSummary[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(names.sort().map((name) => summaryOf(name, join(root, name))));
}

async function summaryOf(name: string, directory: string): Promise<ClusterSummary> {
  const layout = layoutOf(directory);
  const base = { name, directory, kubeconfig: layout.kubeconfig };
  const state = await readState(layout).catch(() => undefined);
  if (!state) return { ...base, state: "damaged", nodes: "?" };
  const ageMilliseconds = Date.now() - Date.parse(state.created);
  return { ...base, state: await conditionOf(state, directory), nodes: state.nodes, ageMilliseconds };
}

async function conditionOf(state: ClusterState, directory: string): Promise<ClusterSummary["state"]> {
  if (state.parent && !isAlive(state.parent)) return "orphaned";
  if (state.phase === "starting") return "starting";
  const place = placeOf(layoutOf(directory), silent);
  const running = controlPlaneTools.filter((name) => place.processes.isRunning(name));
  const nodesRun = await poolOf(state.nodes).isRunning(place);
  if (running.length === 0 && !nodesRun) return "stopped";
  return running.length === controlPlaneTools.length && nodesRun ? "running" : "partly";
}
