// The node's container runtime: a containerd of its own, with pods on a routed point-to-point network.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError, run } from "../../../host/command";
import { waitFor } from "../../../host/wait";
import type { ImageStore } from "../../../images/load";
import { mustRun } from "../../control-plane";
import type { NodeCluster } from "../nodes";
import type { Network } from "./network";
import { NODE, type Sandbox } from "./sandbox";

/** Inside the sandbox, the runtime's socket. */
export const CONTAINERD_SOCKET = "/run/containerd/containerd.sock";

/** Plugins that no runtime here has a use for. */
const UNUSED_PLUGINS: readonly string[] = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.internal.v1.opt",
];

const PROCESS = "node-containerd";
const CNI_PLUGINS = "/usr/lib/cni";

/** Starts the runtime and returns when it answers. `pause` is the image of pod sandboxes. */
export async function startContainerd(cluster: NodeCluster, sandbox: Sandbox, args: ContainerdArgs): Promise<void> {
  const { nodes } = cluster.layout;
  await mkdir(join(nodes, "cni", "net.d"), { recursive: true });
  await writeFile(join(nodes, "cni", "net.d", "10-pods.conflist"), JSON.stringify(cniConfig(args.network), null, 2));
  await writeFile(join(nodes, "containerd.toml"), containerdConfig(args.pause));
  sandbox.start({ name: PROCESS, command: "containerd", args: ["--config", `${NODE}/containerd.toml`] });
  await untilAnswering(ctrIn(sandbox), { ...cluster, process: PROCESS });
}

/** Waits until the runtime that runs as `process` is up. Throws, with the end of its log, where it has ended. */
export async function untilAnswering(
  ctr: Ctr,
  { processes, process, signal }: Pick<NodeCluster, "processes" | "signal"> & { readonly process: string },
): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    mustRun([process], processes);
    return (await answers(ctr)) ? true : undefined;
  };
  await waitFor(look, { what: "the container runtime to answer", timeoutSeconds: 30, signal });
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

/** The line of containerd's configuration that turns off what is of no use, and `more`. */
export const withoutPlugins = (...more: readonly string[]): string =>
  `disabled_plugins = ${JSON.stringify([...UNUSED_PLUGINS, ...more])}`;

/** containerd's configuration (version 2 is read by containerd 1.6 and by 2.x). */
function containerdConfig(pause: string): string {
  return `version = 2
root = "${NODE}/containerd"
state = "/run/containerd"
${withoutPlugins()}

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

/** Runs containerd's client against one runtime, and answers what it printed. */
export type Ctr = (...args: readonly string[]) => Promise<string>;

/** The client of the runtime behind a socket; `execute` runs it where the socket is. */
export function ctrOf(socket: string, execute: Sandbox["run"] = run): Ctr {
  return (...args) => execute("ctr", ["--address", socket, "--namespace", "k8s.io", ...args]);
}

const ctrIn = (sandbox: Sandbox): Ctr => ctrOf(CONTAINERD_SOCKET, sandbox.run.bind(sandbox));

async function answers(ctr: Ctr): Promise<boolean> {
  try {
    await ctr("version");
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** The images of the node in `sandbox`. */
export const imageStoreOf = (sandbox: Sandbox): ImageStore => imagesBehind(ctrIn(sandbox));

/** The images of a runtime. */
export function imagesBehind(ctr: Ctr): ImageStore {
  return {
    hasImage: async (image) => (await ctr("images", "list", "--quiet", `name==${image}`)).trim() !== "",
    importImages: async (archive) => {
      await ctr("images", "import", archive);
    },
    tagImage: async (image, name) => {
      await ctr("images", "tag", image, name);
    },
  };
}
