// The proxy that the environment names, as programs in Go, such as kubectl, find it.
import { BlockList, isIP } from "node:net";

/** Undefined where the server is asked directly. */
export function proxyFor(server: string, environment: NodeJS.ProcessEnv): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const isSafe = protocol === "https:";
  const proxy = valueOf(isSafe ? "HTTPS_PROXY" : "HTTP_PROXY", environment);
  const host = bare(hostname);
  if (proxy === "" || isThisMachine(host)) return undefined;
  const target = { host, port: port || (isSafe ? "443" : "80") };
  const exempt = valueOf("NO_PROXY", environment).toLowerCase().split(",");
  if (exempt.some((entry) => covers(entry.trim(), target))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** In capital letters first. */
const valueOf = (name: string, environment: NodeJS.ProcessEnv): string =>
  environment[name] || environment[name.toLowerCase()] || "";

/** An address of version 6 without its brackets. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, "");

const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

interface Target {
  readonly host: string;
  readonly port: string;
}

/** An entry of NO_PROXY: `*`, an address, a network, or a domain, each but the network with a port or without. */
function covers(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isIn(entry, host);
  const [, name = entry, only = port] = isIP(entry) > 0 ? [] : (/^(.*):(\d+)$/.exec(entry) ?? []);
  return only === port && isOf(bare(name.replace(/^\*(?=\.)/, "")), host);
}

function isOf(domain: string, host: string): boolean {
  if (domain === "" || domain === host) return domain !== "";
  return isIP(host) === 0 && host.endsWith(domain.startsWith(".") ? domain : `.${domain}`);
}

function isIn(network: string, host: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  const family = isIP(address);
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(bits)) return false;
  const list = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), kind);
  return list.check(host, kind);
}
