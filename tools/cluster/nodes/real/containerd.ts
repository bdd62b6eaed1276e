// The node's container runtime: a containerd of its own, with pods on a routed point-to-point network.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../../../host/command";
import { waitFor } from "../../../host/wait";
import type { ImageStore } from "../../../images/load";
import { mustRun } from "../../control-plane";
import type { NodeCluster } from "../nodes";
import type { Network } from "./network";
import { NODE, type Sandbox } from "./sandbox";

/** Inside the sandbox, the runtime's socket. */
export const CONTAINERD_SOCKET = "/run/containerd/containerd.sock";

const PROCESS = "node-containerd";
const CNI_PLUGINS = "/usr/lib/cni";

/** Starts the runtime and returns when it answers. `pause` is the image of pod sandboxes. */
export async function startContainerd(cluster: NodeCluster, sandbox: Sandbox, args: ContainerdArgs): Promise<void> {
  const { nodes } = cluster.layout;
  await mkdir(join(nodes, "cni", "net.d"), { recursive: true });
  await writeFile(join(nodes, "cni", "net.d", "10-pods.conflist"), JSON.stringify(cniConfig(args.network), null, 2));
  await writeFile(join(nodes, "containerd.toml"), containerdConfig(args.pause));
  sandbox.start({ name: PROCESS, command: "containerd", args: ["--config", `${NODE}/containerd.toml`] });
  const look = async (): Promise<true | undefined> => {
    mustRun([PROCESS], cluster.processes);
    return (await answers(sandbox)) ? true : undefined;
  };
  await waitFor(look, { what: "the container runtime to answer", timeoutSeconds: 30, signal: cluster.signal });
}

/** What the runtime depends on. */
export interface ContainerdArgs {
  network: Network;
  /** Reference of the image that pod sandboxes run. */
  pause: string;
}

/**
 * Pods are routed, not bridged: all their packets pass the node's packet filter, so that Services work between pods of one
 * node whatever the kernel does with bridges.
 */
function cniConfig({ podCidr }: Network): unknown {
  const ipam = {
    type: "host-local",
    dataDir: "/run/cni",
    ranges: [[{ subnet: podCidr }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return { cniVersion: "0.4.0", name: "pods", plugins: [{ type: "ptp", ipMasq: false, ipam }] };
}

/** containerd's configuration (version 2 is read by containerd 1.6 and by 2.x). */
function containerdConfig(pause: string): string {
  return `version = 2
root = "${NODE}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt"]

[grpc]
address = "${CONTAINERD_SOCKET}"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pause}"
# machines without CAP_SYS_RESOURCE cannot lower it
restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${CNI_PLUGINS}"
conf_dir = "${NODE}/cni/net.d"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
`;
}

function ctr(sandbox: Sandbox, args: readonly string[]): Promise<string> {
  return sandbox.run("ctr", ["--address", CONTAINERD_SOCKET, "--namespace", "k8s.io", ...args]);
}

async function answers(sandbox: Sandbox): Promise<boolean> {
  try {
    await ctr(sandbox, ["version"]);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** The images of the node in `sandbox`. */
export function imageStoreOf(sandbox: Sandbox): ImageStore {
  return {
    hasImage: async (image) => (await ctr(sandbox, ["images", "list", "--quiet", `name==${image}`])).trim() !== "",
    importImages: async (archive) => {
      await ctr(sandbox, ["images", "import", archive]);
    },
    tagImage: async (image, name) => {
      await ctr(sandbox, ["images", "tag", image, name]);
    },
  };
}
