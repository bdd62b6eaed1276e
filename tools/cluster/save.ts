// Keeps what a cluster holds, so that others can start with the same objects: its data and nothing else. Ports, certificates,
// keys and tokens are each cluster's own.
import { constants } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../host/lock";
import { silent } from "../progress";
import { openApi } from "./api";
import { lockOf, placeOf } from "./end";
import { type Layout, layoutOf } from "./layout";
import { poolOf } from "./nodes/choose";
import { readState } from "./state";

/** They end in this order: each of them writes by way of those behind it. */
const inOrder = ["kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"] as const;
const GRACE_SECONDS = 20;

/**
 * Ends everything that runs in the cluster, and copies its data into `target`, for `startCluster({ from: target })`. The
 * cluster itself stays, to be stopped. Its nodes are among the objects: one that should start again elsewhere has none.
 */
export async function saveCluster({ directory }: { readonly directory: string }, target: string): Promise<void> {
  const layout = layoutOf(directory);
  await withLock(lockOf(directory), async () => {
    const state = await readState(layout);
    if (!state) throw new Error(`there is no cluster in ${directory}`);
    const place = placeOf(layout, silent);
    await poolOf(state.nodes).stop(place);
    for (const name of inOrder) await place.processes.stop(name, { graceSeconds: GRACE_SECONDS });
    await copyData(layout.etcd, dataIn(target));
  });
}

/** Lays the saved data where the etcd of a cluster that was never started will find them. */
export async function layData(saved: string, layout: Layout): Promise<void> {
  await copyData(dataIn(saved), layout.etcd);
}

/** Gives the Service of the API server, whose objects were saved from another, this one's port. */
export async function correctPort(kubeconfig: string, targetPort: number): Promise<void> {
  const api = await openApi(kubeconfig);
  const ports = [{ name: "https", protocol: "TCP", port: 443, targetPort }];
  try {
    await api.request("PATCH", "/api/v1/namespaces/default/services/kubernetes", { spec: { ports } });
  } finally {
    api.close();
  }
}

const dataIn = (saved: string): string => join(saved, "etcd");

/** Without the room that etcd took for what it would write next. */
async function copyData(from: string, to: string): Promise<void> {
  const filter = (path: string): boolean => !path.endsWith(".tmp");
  await cp(from, to, { recursive: true, filter, mode: constants.COPYFILE_FICLONE });
}
