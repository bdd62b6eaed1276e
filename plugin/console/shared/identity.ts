// Who asks, by the word of a proxy that has shown its certificate. Pure.
import type { ProxyConfig } from "./config";

/** A person as the API server is told of them. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** What came with a request. */
export interface Shown {
  /** The common name of the client's certificate; undefined where it has shown none that the proxy's authority signed. */
  readonly commonName: string | undefined;
  /** Every value of a header, as often as it came. */
  readonly valuesOf: (header: string) => readonly string[];
}

/** Longest name of a person or a group, in characters. */
const longest = 256;
/** Most groups of a person: each is a header of every request. */
const mostGroups = 500;

/** Undefined where it is not known who asks, or it is one in whose name the console does not act. */
export function identityIn({ commonName, valuesOf }: Shown, proxy: ProxyConfig): Identity | undefined {
  if (commonName === undefined || !proxy.names.includes(commonName)) return undefined;
  const [name, ...more] = valuesOf(proxy.userHeader);
  // two names are none
  if (name === undefined || name.trim() === "" || more.length > 0) return undefined;
  const user = proxy.userPrefix + name.trim();
  const groups = proxy.groupsHeader === undefined ? [] : groupsIn(valuesOf(proxy.groupsHeader), proxy);
  if (groups.length > mostGroups || [user, ...groups].some(isRefused)) return undefined;
  return { user, groups: groups.filter((group) => proxy.groups.length === 0 || proxy.groups.includes(group)) };
}

/** Whether the console's account may act for this person: where it may not, the API server refuses each request. */
export const isActedFor = ({ user }: Identity, { users }: Pick<ProxyConfig, "users">): boolean =>
  users.length === 0 || users.includes(user);

/** As several headers, or one with commas between them. */
const groupsIn = (values: readonly string[], { groupPrefix }: ProxyConfig): string[] =>
  values
    .flatMap((value) => value.split(","))
    .map((group) => group.trim())
    .filter((group) => group !== "")
    .map((group) => groupPrefix + group);

/** Those of Kubernetes itself, such as `system:masters`: no proxy speaks for them. Nor is anything but visible letters a name. */
const isRefused = (name: string): boolean =>
  name.startsWith("system:") || name.length > longest || !/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(name);
