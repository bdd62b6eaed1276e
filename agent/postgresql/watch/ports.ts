// What the watch needs of the world, as interfaces: Patroni, the Kubernetes API, and the server. Everything throws where nobody answers.
import type { ClusterMember } from "../patroni/answers";
import type { PatroniClient } from "../patroni/client";

/** The member's own Patroni. */
export type Patroni = Pick<
  PatroniClient,
  "own" | "turning" | "cluster" | "configuration" | "wake" | "restart" | "reinitialize"
>;

/** Who leads, by the record of all members. */
export interface Lease {
  readonly leader: string | undefined;
  /** When it was renewed last. */
  readonly renewed: string | undefined;
}

/** A pod of the Database. */
export interface Pod {
  readonly name: string;
  /** What a change of it must find unchanged. */
  readonly version: string;
}

/** The part of the Kubernetes API that it uses. */
export interface Kubernetes {
  lease(): Promise<Lease>;
  /** The pods that Services lead to as the primary. */
  labelledPrimary(): Promise<readonly Pod[]>;
  /** Labels it as a replica. A former primary that comes back sees by itself what it is. */
  depose(pod: Pod): Promise<void>;
  /** Writes what is said of the archive on a pod; undefined: nothing. */
  noteArchive(pod: string, note: string | undefined): Promise<void>;
}

/** How the server's archive fares. */
export interface Archive {
  /** How many seconds may lie between two moments that can be restored. */
  readonly everySeconds: number;
  /** For how many seconds nothing has arrived, where the last attempt failed; 0 where it did not. */
  readonly waitingSeconds: number;
}

/** How WAL on the backup volume fares. */
export interface KeptWal {
  /** The statement by which the program that keeps it said so last; undefined while it has no session. */
  readonly said: string | undefined;
  /** Whether the slot is there that holds it until it has come. */
  readonly isHeld: boolean;
  /** Whether the program that keeps it cannot see how far its stream is. */
  readonly isBlind: boolean;
}

/** The server's process. Its methods never throw, but for `hasEnded`, `reload`, `stop` and `end`. */
export interface Server {
  pid(): Promise<number | undefined>;
  isPrimary(): Promise<boolean>;
  /** Whether it was told to stop, and has not ended yet. */
  isStopping(): Promise<boolean>;
  hasEnded(pid: number): Promise<boolean>;
  /** Whether its files name `pid` as the server still: one that ends in order, or by an immediate shutdown, takes that back. */
  isLeftBy(pid: number): Promise<boolean>;
  /** Has it read its configuration, and its certificate, again. */
  reload(): Promise<void>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

/** The replication slot that holds most WAL. */
export interface HoldingSlot {
  readonly name: string;
  /** From where it holds WAL to the present end, in bytes. */
  readonly bytes: number;
  readonly walStatus: string;
  readonly active: boolean;
}

/** SQL on servers. */
export interface Sql {
  /** Drops slots that no replica can stream by any more, and returns their names. */
  dropLostSlots(): Promise<readonly string[]>;
  /** Drops failover slots that were made here when this member was primary, and returns their names. */
  dropFormerSlots(): Promise<readonly string[]>;
  /** The slot that holds most WAL here; undefined where none holds any. */
  holdingSlot(): Promise<HoldingSlot | undefined>;
  /** Makes the roles of other programs, unless they are there. */
  ensureRoles(): Promise<void>;
  /** Undefined where the server does not archive. */
  archive(): Promise<Archive | undefined>;
  /** Undefined where this is no primary. */
  keptWal(): Promise<KeptWal | undefined>;
  /** Lets the program that keeps WAL see how far its stream is. */
  letSeeStreams(): Promise<void>;
  /** Commits, and changes nothing. */
  beat(): Promise<void>;
  /** Position of the oldest WAL that the primary still has, in bytes; undefined where it cannot be told. */
  oldestWal(primary: ClusterMember): Promise<number | undefined>;
}

/** One thing that is watched. */
export interface Watch {
  /** Between two looks, in milliseconds. */
  readonly pauseMs: number;
  /** Looks, decides and acts. */
  look(): Promise<void>;
  /** Hears what a look threw; the next one tries again. */
  failed(error: unknown): void;
}
