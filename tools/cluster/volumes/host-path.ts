// Removes the directories that the controller manager created as volumes of a cluster that goes away.
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Layout } from "../layout";

/** Where the controller manager's host-path provisioner creates its directories; it has no setting for that. */
const ROOT = "/tmp/hostpath_pv";
const VOLUME = /\/tmp\/hostpath_pv\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Removes the volumes of the cluster with that layout. They are found in what etcd has written, so it also works when the
 * control plane is dead; call it after etcd has ended.
 */
export async function removeHostPathVolumes(layout: Layout): Promise<void> {
  const volumes = new Set<string>();
  for (const file of await filesUnder(layout.etcd)) {
    for (const [path] of (await readFile(file, "latin1")).matchAll(VOLUME)) volumes.add(path);
  }
  await Promise.all([...volumes].map((path) => rm(path, { recursive: true, force: true })));
  // only when no other cluster has volumes there
  if (volumes.size > 0) await rmdir(ROOT).catch(() => undefined);
}

async function filesUnder(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
