// The addresses of a real cluster, and the cable between this machine and the node's own network namespace.
import { existsSync } from "node:fs";
import { z } from "zod";
import { run, succeeds } from "../../../host/command";

/** Addresses and device of one real cluster; several clusters on a machine have different ones. */
export interface Network {
  /** Number of the cluster among those of this machine. */
  index: number;
  /** The machine's end of the cable. */
  link: string;
  /** The node's end while it is not in the node's namespace yet. */
  peer: string;
  /** Address of this machine as the node sees it: there pods reach the API server. */
  hostAddress: string;
  /** Address of the node. */
  nodeAddress: string;
  linkCidr: string;
  podCidr: string;
  serviceCidr: string;
  /** ClusterIP of the Service kube-dns. */
  dnsAddress: string;
}

const CLUSTERS = 250;

/** The network of the cluster with that number, from 0. */
export function networkOf(index: number): Network {
  return {
    index,
    link: `dbop${index}`,
    peer: `dbop${index}-node`,
    hostAddress: `10.245.${index}.1`,
    nodeAddress: `10.245.${index}.2`,
    linkCidr: `10.245.${index}.0/30`,
    podCidr: `10.244.${index}.0/24`,
    serviceCidr: `10.96.${index}.0/24`,
    dnsAddress: `10.96.${index}.10`,
  };
}

/** Answers whether two IPv4 networks, written as a.b.c.d/n (a bare address counts as /32), have an address in common. */
export function overlaps(a: string, b: string): boolean {
  const [first, second] = [parseCidr(a), parseCidr(b)];
  const size = 2 ** (32 - Math.min(first.bits, second.bits));
  return Math.floor(first.base / size) === Math.floor(second.base / size);
}

function parseCidr(cidr: string): { base: number; bits: number } {
  const [address = "", bits = "32"] = cidr.split("/");
  return { base: address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0), bits: Number(bits) };
}

const Links = z.array(z.object({ ifname: z.string(), ifalias: z.string().optional() }));
const Routes = z.array(z.object({ dst: z.string() }));

async function links(): Promise<z.infer<typeof Links>> {
  return Links.parse(JSON.parse(await run("ip", ["-json", "link", "show"])));
}

/** The network that was created for the cluster in `owner`, if its cable is there. */
export async function findNetwork(owner: string): Promise<Network | undefined> {
  const link = (await links()).find(({ ifalias }) => ifalias === owner);
  return link && networkOf(Number(link.ifname.replace(/^dbop(\d+).*$/, "$1")));
}

/**
 * Lays a cable for the cluster in `owner`, whose name is written on it, with addresses that are free on this machine.
 * A cluster that had addresses already must get them again: `known` is its number.
 */
export async function layCable(owner: string, known?: number): Promise<Network> {
  await removeOrphans();
  const printed = await run("ip", ["-json", "-4", "route", "show", "table", "all"]);
  const taken = Routes.parse(JSON.parse(printed || "[]")).map(({ dst }) => dst);
  const used = taken.filter((destination) => /^\d/.test(destination));
  for (const index of known === undefined ? Array(CLUSTERS).keys() : [known]) {
    const network = networkOf(index);
    const wanted = [network.linkCidr, network.podCidr, network.serviceCidr];
    if (wanted.some((cidr) => used.some((other) => overlaps(cidr, other)))) continue;
    // adding fails when another cluster was faster: names are the lock
    const add = ["link", "add", network.link, "type", "veth", "peer", "name", network.peer];
    if (!(await succeeds("ip", add))) continue;
    await run("ip", ["link", "set", network.link, "alias", owner]);
    await run("ip", ["address", "add", `${network.hostAddress}/30`, "dev", network.link]);
    await run("ip", ["link", "set", network.link, "up"]);
    return network;
  }
  throw new Error(
    known === undefined
      ? "no free addresses for a real node in 10.244.0.0/16, 10.245.0.0/16 and 10.96.0.0/16; use simulated nodes"
      : `the addresses of the cluster are taken (${networkOf(known).podCidr}); end what uses them, or the cluster`,
  );
}

/** Removes cables whose cluster's directory is gone, so that nothing else can. */
async function removeOrphans(): Promise<void> {
  for (const { ifname, ifalias } of await links()) {
    if (/^dbop\d+$/.test(ifname) && ifalias && !existsSync(ifalias)) await succeeds("ip", ["link", "delete", ifname]);
  }
}

/** Plugs the cable into the network namespace of process `pid` and gives both ends the route to the other. */
export async function plugIn(network: Network, pid: number): Promise<void> {
  const inside = (...args: string[]): Promise<string> =>
    run("nsenter", ["--net", "--target", String(pid), "ip", ...args]);
  await run("ip", ["link", "set", network.peer, "netns", String(pid)]);
  await inside("link", "set", network.peer, "name", "eth0");
  await inside("address", "add", `${network.nodeAddress}/30`, "dev", "eth0");
  await inside("link", "set", "lo", "up");
  await inside("link", "set", "eth0", "up");
  // without this, packets to nowhere would be lost in silence
  await inside("route", "add", "unreachable", "default");
  // Services are no one's address: a route makes packets leave far enough to be rewritten by kube-proxy
  await inside("route", "replace", network.serviceCidr, "via", network.hostAddress);
  await run("ip", ["route", "replace", network.podCidr, "via", network.nodeAddress]);
  await run("ip", ["route", "replace", network.serviceCidr, "via", network.nodeAddress]);
}

/** Removes the cable of the cluster in `owner`, and with it its addresses and routes. */
export async function removeCable(owner: string): Promise<void> {
  for (const { ifname, ifalias } of await links()) {
    if (ifalias === owner && !(await succeeds("ip", ["link", "delete", ifname]))) {
      // it goes by itself when the node's namespace does
      if ((await links()).some((link) => link.ifname === ifname))
        throw new Error(`cannot remove network device ${ifname}`);
    }
  }
}
