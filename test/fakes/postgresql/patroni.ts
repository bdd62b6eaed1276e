// What Patroni answers, for tests: members in a few words.
import type { Cluster, ClusterMember, OwnState } from "../../../agent/postgresql/patroni/answers";

/** A member of a cluster: a replica that streams, unless said otherwise. */
export const memberOf = (name: string, more: Partial<ClusterMember> = {}): ClusterMember => ({
  ...{ name, role: "replica", state: "streaming", timeline: 3, lag: 0 },
  ...{ api_url: `http://${name}:8008/patroni`, host: `10.0.0.${name.at(-1) ?? "0"}`, port: 5432 },
  ...more,
});

/** The member that leads. */
export const leaderOf = (name: string, more: Partial<ClusterMember> = {}): ClusterMember =>
  memberOf(name, { role: "leader", state: "running", lag: undefined, ...more });

/** A cluster of these members. */
export const clusterOf = (...members: readonly ClusterMember[]): Cluster => ({ members: [...members] });

/** A member as its own Patroni sees it: a replica that streams, unless said otherwise. */
export const ownStateOf = (more: Partial<OwnState> = {}): OwnState => ({
  ...{ role: "replica", state: "running", replication_state: "streaming" },
  xlog: { received_location: 1_000, replayed_location: 900 },
  ...more,
});
