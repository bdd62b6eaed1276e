// Ends clusters: nodes, processes, volumes and files, whatever state they are in.
import { existsSync } from "node:fs";
import { readFile, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type LockOptions, withLock } from "../host/lock";
import { type Progress, silent } from "../progress";
import { type Layout, layoutOf } from "./layout";
import { poolOf } from "./nodes/choose";
import { NodeKind, type NodePlace } from "./nodes/nodes";
import { openProcesses } from "./processes";
import { readState } from "./state";
import { removeHostPathVolumes } from "./volumes/host-path";

/** The lock that serializes all commands on one cluster; it lies beside the cluster's directory. */
export function lockOf(directory: string): string {
  return join(dirname(directory), `.${basename(directory)}.lock`);
}

/** Ends the cluster in `directory` and removes the directory. Answers false when there was none. */
export async function endCluster(directory: string, progress = silent, options: LockOptions = {}): Promise<boolean> {
  if (!existsSync(directory)) return false;
  await withLock(lockOf(directory), () => endLocked(directory, progress), options);
  // the last one out removes what all share; in vain while others are there
  await rmdir(dirname(directory)).catch(() => undefined);
  return true;
}

/** Like `endCluster`, for a caller who holds the lock. */
export async function endLocked(directory: string, progress: Progress): Promise<void> {
  const layout = layoutOf(directory);
  const place = placeOf(layout, progress);
  for (const kind of await kindsIn(layout)) await progress.step(`end ${kind} nodes`, () => poolOf(kind).stop(place));
  await progress.step("end the control plane", async () => {
    await place.processes.stopAll();
    await removeHostPathVolumes(layout);
    await refuseMounts(directory);
    await rm(directory, { recursive: true, force: true });
  });
}

/** What is known of a cluster without its control plane. */
export function placeOf(layout: Layout, progress: Progress): NodePlace {
  const { directory } = layout;
  const log = (line: string): void => {
    progress.line(line);
  };
  return { name: basename(directory), directory, layout, processes: openProcesses(layout), log };
}

/** The kind of nodes a cluster has; all kinds when its state is lost or damaged. */
async function kindsIn(layout: Layout): Promise<readonly NodeKind[]> {
  const state = await readState(layout).catch(() => undefined);
  return state ? [state.nodes] : NodeKind.options;
}

/** Removing the files of a mounted volume would be more than was asked for. */
async function refuseMounts(directory: string): Promise<void> {
  if (process.platform !== "linux") return;
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
  const left = mounts.filter((mount) => mount.startsWith(`${directory}/`));
  if (left.length > 0) throw new Error(`still mounted, unmount it and try again:\n${left.join("\n")}`);
}
