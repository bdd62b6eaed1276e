// A real node on this machine: containers, network, Services, DNS and volumes, all in namespaces of its own.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { run, succeeds } from "../../../host/command";
import { ensurePackages, isPresent, missingPackages, type SystemPackage } from "../../../host/packages";
import { type BuiltImage, buildImages } from "../../../images/build";
import { type ImageStore, loadImages } from "../../../images/load";
import { pauseProgram } from "../../../images/pause";
import { freeLoopDevices } from "../../volumes/loop/loop-device";
import { makeLoopClass, startProvisioner } from "../../volumes/loop/provisioner";
import type { ControlPlaneOptions, NodeCluster, NodePlace, NodePool } from "../nodes";
import { layoutOf } from "../../layout";
import { openProcesses } from "../../processes";
import { makeCgroups, removeCgroups } from "./cgroups";
import { imageStoreOf, startContainerd } from "./containerd";
import { readOptional, writeWhole } from "./files";
import { layImages } from "./kept-images";
import { NODE_NAME, startKubelet, untilReady } from "./kubelet";
import { findNetwork, layCable, type Network, networkOf, plugIn, removeCable } from "./network";
import { findSandbox, makeSandbox, removeSandbox, type Sandbox, VOLUMES } from "./sandbox";
import { startDns, startProxy } from "./services";

/** What real nodes are started with. */
export interface RealNodesArgs {
  /** Images that a new node has from its start: sooner there than by `loadImages`. Default: what pods cannot be without. */
  readonly images?: readonly BuiltImage[];
}

/** Real nodes, and what keeps them from running on this machine. */
export interface RealNodes {
  pool(args: RealNodesArgs): NodePool;
  /** Why real nodes cannot run here, for a person; undefined when they can. */
  obstacle(): Promise<string | undefined>;
}

const PACKAGES: readonly SystemPackage[] = [
  { name: "containerd", provides: "containerd" },
  { name: "runc", provides: "runc" },
  { name: "containernetworking-plugins", provides: "/usr/lib/cni/ptp" },
  { name: "nftables", provides: "nft" },
  { name: "conntrack", provides: "conntrack" },
  { name: "iproute2", provides: "ip" },
  { name: "xfsprogs", provides: "mkfs.xfs" },
  { name: "mount", provides: "losetup" },
  { name: "util-linux", provides: "nsenter" },
];

/** Real nodes, for Linux with root. */
export const realNodes: RealNodes = {
  pool: (args) =>
    ({
      ...{ kind: "real", controlPlaneOptions, stop, isRunning },
      start: (cluster) => start(cluster, args),
    }) satisfies NodePool,
  obstacle,
};

async function obstacle(): Promise<string | undefined> {
  if (process.platform !== "linux") return `they need Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return "they need root";
  const missing = await missingPackages(PACKAGES);
  if (missing.length > 0 && !(await isPresent("apt-get"))) return `programs are missing: ${missing.join(", ")}`;
  const namespaces = ["--mount", "--pid", "--net", "--propagation", "private", "--fork", "true"];
  if (!(await succeeds("unshare", namespaces))) return "this root user may not create namespaces";
  return undefined;
}

/** Creates the node's namespaces and its cable: the API server gives pods the cable's address. */
async function controlPlaneOptions(place: NodePlace): Promise<ControlPlaneOptions> {
  await ensurePackages(PACKAGES, place.log);
  await mkdir(place.layout.nodes, { recursive: true });
  const { network } = await ensurePlace(place);
  return {
    advertiseAddress: network.hostAddress,
    serviceCidr: network.serviceCidr,
    tools: ["kubelet", "kube-proxy", "coredns"],
    volumes: hasLoopDevices() ? "none" : "host-path",
  };
}

function hasLoopDevices(): boolean {
  return existsSync("/dev/loop-control");
}

/** The namespaces and the cable, created where they are missing. They go together: the one without the other is created again. */
async function ensurePlace(place: NodePlace): Promise<{ network: Network; sandbox: Sandbox }> {
  const [network, sandbox] = [await findNetwork(place.directory), await findSandbox(place)];
  if (network && sandbox && (await isPlugged(network))) return { network, sandbox };
  await removeSandbox(place);
  await removeCable(place.directory);
  const laid = await layCable(place.directory, await knownIndex(place));
  await writeWhole(recordOf(place), JSON.stringify({ index: laid.index }));
  // a kubelet wastes seconds on each group of a pod that has died
  await removeCgroups(laid.link);
  await makeCgroups(laid.link);
  const made = await makeSandbox(place, await pauseProgram(place.log));
  await plugIn(laid, made.pid);
  return { network: laid, sandbox: made };
}

/** Answers whether the cable's node end has left this machine's own namespace. */
async function isPlugged({ podCidr }: Network): Promise<boolean> {
  return (await run("ip", ["route", "show", podCidr])).trim() !== "";
}

const recordOf = ({ layout }: NodePlace): string => join(layout.nodes, "network.json");

async function knownIndex(place: NodePlace): Promise<number | undefined> {
  const text = await readOptional(recordOf(place));
  return text === undefined ? undefined : z.object({ index: z.int() }).parse(JSON.parse(text)).index;
}

/** Starts what does not run and returns when the node is Ready. */
async function start(cluster: NodeCluster, { images = [] }: RealNodesArgs): Promise<void> {
  const began = new Date();
  const { network, sandbox } = await ensurePlace(cluster);
  const [pause] = await buildImages({ log: cluster.log, only: ["pause"] });
  if (!pause) throw new Error("there is no recipe for the pause image");
  await Promise.all([
    startDns(cluster, sandbox, network),
    startProxy(cluster, sandbox, network),
    hasLoopDevices() ? startVolumes(cluster, sandbox, network) : undefined,
    startRuntime(cluster, sandbox, { network, pause, images }).then(() => startKubelet(cluster, sandbox, network)),
  ]);
  await untilReady(cluster, began);
}

interface RuntimeArgs {
  readonly network: Network;
  readonly pause: BuiltImage;
  readonly images: readonly BuiltImage[];
}

async function startRuntime(cluster: NodeCluster, sandbox: Sandbox, args: RuntimeArgs): Promise<void> {
  const { network, pause } = args;
  const { log, signal, layout } = cluster;
  const images = [pause, ...args.images];
  // only where there are any to spare: a single small one is imported in no time
  if (args.images.length > 0) await layImages(join(layout.nodes, "containerd"), { images, log, signal });
  await startContainerd(cluster, sandbox, { network, pause: pause.image });
  await loadImages(imageStoreOf(sandbox), images);
}

async function startVolumes(cluster: NodeCluster, sandbox: Sandbox, network: Network): Promise<void> {
  await makeLoopClass(cluster.api);
  await startProvisioner(cluster, {
    start: sandbox.start,
    process: "node-volumes",
    server: `https://${network.hostAddress}:${cluster.apiServerPort}`,
    node: NODE_NAME,
    // the place of the files on this machine: loop devices are found by it when the sandbox is gone
    files: join(cluster.layout.nodes, "volumes"),
    mounts: VOLUMES,
  });
}

/** Ends the node whatever is left of it. */
async function stop(place: NodePlace): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return;
  const own = place.processes.names().filter((name) => name.startsWith("node-"));
  // first the namespaces: with them ends all that runs in them, and all that is mounted there
  await removeSandbox(place);
  for (const name of own) await place.processes.stop(name);
  if (await isPresent("ip")) await removeCable(place.directory);
  await freeLoopDevices(place.layout.nodes);
  const index = await knownIndex(place);
  if (index !== undefined) await removeCgroups(networkOf(index).link);
}

async function isRunning(place: NodePlace): Promise<boolean> {
  const expected = [
    "sandbox",
    "containerd",
    "kubelet",
    "kube-proxy",
    "coredns",
    ...(hasLoopDevices() ? ["volumes"] : []),
  ];
  if (!expected.every((name) => place.processes.isRunning(`node-${name}`))) return false;
  return (await findSandbox(place)) !== undefined;
}

/** The images of the node of the cluster in `directory`. Throws when it has no real node that runs. */
export async function openNodeImages(directory: string): Promise<ImageStore> {
  const layout = layoutOf(directory);
  const sandbox = await findSandbox({ layout, processes: openProcesses(layout) });
  if (sandbox) return imageStoreOf(sandbox);
  throw new Error(`cluster ${basename(directory)} has no real node that runs; start one: cluster up --nodes real`);
}
