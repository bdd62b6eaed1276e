// What a member knows when it decides: its own server, its peers, the record of the set, and how many members are wanted.
import type { Configuration } from "./configuration";

/** What a server reports without a password. */
export type ServerState =
  /** It does not answer. */
  | { readonly kind: "unreachable" }
  /** It has no replica sets: the server of a single member. */
  | { readonly kind: "standalone" }
  /** It belongs to no set: it never did, or it was removed from its set. */
  | { readonly kind: "unconfigured" }
  | { readonly kind: "primary" }
  /** `primary`: the one that it follows; missing while it knows none. `electable`: hosts that can lead, by its configuration. */
  | { readonly kind: "secondary"; readonly primary?: string; readonly electable: readonly string[] }
  /** It belongs to a set, and neither leads nor follows at the moment: it copies data, or has lost the others. */
  | { readonly kind: "between" };

/** Another pod of the database. */
export interface Peer {
  /** Its number in the StatefulSet. */
  readonly ordinal: number;
  /** Its address, as the replica set's configuration names it. */
  readonly host: string;
  /** Whether a process may be running there: a pod that waits for a node or an image has none. */
  readonly running: boolean;
  readonly server: ServerState;
}

/** The record that a replica set was begun, in a ConfigMap that outlives the members. */
export type InitiationRecord =
  /** The Kubernetes API does not answer. */
  | { readonly kind: "unknown" }
  /** The set was never begun. `version` is what a write must find unchanged. */
  | { readonly kind: "empty"; readonly version: string }
  /** The data volume that holds this token begins the set, or has begun it. */
  | { readonly kind: "claimed"; readonly token: string };

/** A member's state as the primary sees it. */
export interface MemberHealth {
  readonly reachable: boolean;
  /** Whether it follows with all data: it has ended its first copy. */
  readonly isSecondary: boolean;
}

/** What only a primary that knows the administrator's password can see. */
export interface SetView {
  readonly configuration: Configuration;
  /** Whether a majority of the voters has the configuration, and all that was written before it. */
  readonly committed: boolean;
  /** By host; a member that is missing was never heard of. */
  readonly health: ReadonlyMap<string, MemberHealth>;
}

/** All that a decision is made from. */
export interface Observation {
  readonly ordinal: number;
  readonly host: string;
  readonly setName: string;
  /** How many members the database is to have; undefined where a member need not know, or the Kubernetes API does not answer. */
  readonly wanted: number | undefined;
  readonly server: ServerState;
  /** Whether the administrator can log in. "unknown" where the server cannot be asked. */
  readonly administrator: "present" | "missing" | "unknown";
  readonly record: InitiationRecord;
  /** The token in the member's own data volume, if it has one. */
  readonly token: string | undefined;
  readonly peers: readonly Peer[];
  /** Set on a primary with an administrator. */
  readonly set: SetView | undefined;
  /** Address of the member with this ordinal. */
  readonly hostOf: (ordinal: number) => string;
}
