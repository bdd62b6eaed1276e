// Decides what the watch does. Pure: it reads what was seen and touches nothing.
import type { Cluster, ClusterMember, OwnState, Turning } from "../patroni/answers";
import type { Lease, Pod } from "./ports";

/**
 * For how long Patroni's loop, which turns every 5 s, may stand still, in milliseconds: 20 s after its last turn another member may lead. With
 * the looks before it and the time that they may take, the server has ended before.
 */
export const longestStandstillMs = 12_000;

/**
 * Something that changes with every turn of Patroni's loop; undefined where it is unknown. No other member leads where all members have agreed
 * to continue as they are, or a person has paused Patroni: then each look counts as a turn.
 */
export function turnOf(turning: Turning | undefined): unknown {
  if (Boolean(turning?.failsafe_mode_is_active) || Boolean(turning?.pause)) return Symbol("excused");
  return turning?.dcs_last_seen ?? undefined;
}

/** When this member's lease was renewed last; undefined where another member has it, or it is unknown. */
export const renewalOf = (lease: Lease | undefined, self: string): string | undefined =>
  lease?.leader === self ? lease.renewed : undefined;

/** What to do about a Patroni that stands still. The loop turns every few seconds: to ask for more each time would be a load on the Kubernetes API. */
export function judgeStandstill(ms: number): "turns" | "ask for the lease" | "end the server" {
  if (ms > longestStandstillMs) return "end the server";
  return ms > longestStandstillMs / 2 ? "ask for the lease" : "turns";
}

/** Those that must not be labelled as the primary beside this member, which is it. */
export const othersAmong = (pods: readonly Pod[], self: string): readonly Pod[] =>
  pods.filter(({ name }) => name !== self);

/** Of these a replica may not have less than its primary. */
const sharedLimits: ReadonlySet<string> = new Set([
  "max_connections",
  "max_prepared_transactions",
  "max_locks_per_transaction",
  "max_worker_processes",
  "max_wal_senders",
]);

/** Whether a restart would change nothing of this member but make some of those limits lower. */
export function waitsForLess({ pending_restart_reason: reason }: Pick<OwnState, "pending_restart_reason">): boolean {
  const changes = Object.entries(reason ?? {});
  return (
    changes.length > 0 &&
    changes.every(([name, change]) => sharedLimits.has(name) && Number(change.new_value) < Number(change.old_value))
  );
}

/**
 * The member that restarts next for a lower limit: the primary first, as it decides what replicas must have at least; then the replicas. None
 * while any does not serve.
 */
export function nextToRestart({ members }: Cluster): string | undefined {
  if (members.some(({ state }) => state !== "running" && state !== "streaming")) return undefined;
  const rank = ({ role }: ClusterMember): number => (role === "leader" ? 0 : 1);
  const byTurn = (left: ClusterMember, right: ClusterMember): number =>
    rank(left) - rank(right) || (left.name < right.name ? -1 : 1);
  return members.toSorted(byTurn).find(waitsForLess)?.name;
}

/** How far a replica has come that runs and does not stream, in bytes; undefined of any other member, and where that cannot be told. */
export function positionOfStanding({ role, state, replication_state, xlog }: OwnState): number | undefined {
  if (role !== "replica" || state !== "running" || replication_state === "streaming") return undefined;
  const position = Math.max(xlog?.received_location ?? 0, xlog?.replayed_location ?? 0);
  return position > 0 ? position : undefined;
}
