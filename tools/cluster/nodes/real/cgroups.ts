// The control groups of a cluster's pods: apart from those of other clusters, and gone when it is.
import { mkdir, readdir, readFile, rmdir } from "node:fs/promises";
import { type Dirent, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isCode } from "../../../host/lock";

const MOUNTS = "/sys/fs/cgroup";
const GROUP = "database-operator";

/** The control group of a cluster, as kubelet's `cgroupRoot`; `id` is unique on this machine. */
export function cgroupRoot(id: string): string {
  return `/${GROUP}/${id}`;
}

/** Directories with a hierarchy of control groups: one on current machines, one per controller on older ones. */
async function hierarchies(): Promise<string[]> {
  if (existsSync(join(MOUNTS, "cgroup.controllers"))) return [MOUNTS];
  const entries = await readdir(MOUNTS, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(MOUNTS, entry.name));
}

/** Creates a cluster's control group in every hierarchy: a kubelet wants it there. */
export async function makeCgroups(id: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await mkdir(join(hierarchy, cgroupRoot(id)), { recursive: true });
}

/** Removes a cluster's control groups, whose processes must have ended. */
export async function removeCgroups(id: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    await removeTree(join(hierarchy, cgroupRoot(id)));
    // stays while another cluster has groups in it
    await rmdir(join(hierarchy, GROUP)).catch(() => undefined);
  }
}

/** Numbers, on this machine, of all processes of the pod with this uid; none where it has no group. */
export async function processesOfPod(id: string, uid: string): Promise<number[]> {
  for (const hierarchy of await hierarchies()) {
    const group = await findGroup(join(hierarchy, cgroupRoot(id)), `pod${uid}`);
    if (group !== undefined) return processesBelow(group);
  }
  return [];
}

async function findGroup(directory: string, name: string): Promise<string | undefined> {
  for (const entry of await entriesOf(directory)) {
    if (!entry.isDirectory()) continue;
    const path = join(directory, entry.name);
    const found = entry.name === name ? path : await findGroup(path, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function processesBelow(directory: string): Promise<number[]> {
  // a container may end in the middle of this
  const own = await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "");
  const numbers = own.split("\n").filter(Boolean).map(Number);
  for (const entry of await entriesOf(directory)) {
    if (entry.isDirectory()) numbers.push(...(await processesBelow(join(directory, entry.name))));
  }
  return numbers;
}

/** Groups are removed from the leaves up; one whose last process has just ended stays busy for a moment. */
async function removeTree(directory: string): Promise<void> {
  for (const entry of await entriesOf(directory)) {
    if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  }
  const deadline = performance.now() + 10_000;
  for (;;) {
    try {
      await rmdir(directory);
      return;
    } catch (error) {
      if (isCode(error, "ENOENT")) return;
      if (!isCode(error, "EBUSY") || performance.now() > deadline) throw error;
      await delay(20);
    }
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
