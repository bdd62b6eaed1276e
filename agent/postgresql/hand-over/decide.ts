// Decides how a member that stops hands over. Pure: it reads what Patroni answers and touches nothing.
import type { Cluster, Configuration } from "../patroni/answers";

/** How long it keeps trying while no replica may take over: one that has just come back may after a loop or two of Patroni. In milliseconds. */
export const replicaMs = 20_000;

/** A pod is ready as soon as its server takes questions, which may be before Patroni's record of it says that it streams. */
const presentStates: ReadonlySet<string> = new Set(["starting", "running", "streaming"]);

/** Whether commits wait for replicas. */
export const waitsForReplicas = ({ synchronous_mode: mode }: Configuration): boolean => Boolean(mode);

/** The other replicas that run and whose confirmation does not count yet. */
export const uncountedAmong = ({ members }: Cluster, self: string): readonly string[] =>
  members
    .filter(({ name, role, state }) => name !== self && role === "replica" && presentStates.has(state))
    .map(({ name }) => name);

/** Where the other members say whether they serve as a replica, as far as Patroni knows. */
export const replicaAddresses = ({ members }: Cluster, self: string): readonly string[] =>
  members
    .filter(({ name }) => name !== self)
    .flatMap(({ api_url }) => (typeof api_url === "string" ? new URL("/replica", api_url).href : []));

/** What to do once Patroni has refused to let a replica take over. */
export type AfterRefusal = { readonly kind: "retry" } | { readonly kind: "end"; readonly why: string };

/** `refusal`: what Patroni said; `waitedMs`: since the hand-over began. */
export function afterRefusal(refusal: string, isPrimary: boolean, waitedMs: number): AfterRefusal {
  if (!isPrimary) return { kind: "end", why: "another member is the primary now" };
  return waitedMs > replicaMs ? { kind: "end", why: `${refusal}: stopping as it is` } : { kind: "retry" };
}
