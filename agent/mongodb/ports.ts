// What a member needs from outside, as interfaces: servers, the Kubernetes API, and its own volume.
import type { InitiationRecord } from "./observation";

/** A command of MongoDB; its first key is its name. */
export type Command = Readonly<Record<string, unknown>>;

/** Servers that answer commands. A refusal is an Error with a numeric `code`; anything else means no answer. */
export interface Servers {
  /** Asks the member's own server without a password, from its own machine. */
  asNobody(command: Command): Promise<unknown>;
  /** Asks the member's own server as the administrator. */
  asAdministrator(command: Command): Promise<unknown>;
  /** Asks the server of another member without a password. */
  peer(host: string, command: Command): Promise<unknown>;
}

/** A pod of the database. */
export interface PodView {
  readonly name: string;
  readonly ordinal: number;
  /** Whether its containers may run: a pod that waits for a node or an image has none. */
  readonly running: boolean;
  /** Value of its role label. */
  readonly role: string | undefined;
}

/** The part of the Kubernetes API that a member uses. Everything throws where the API does not answer. */
export interface Cluster {
  /** All pods of the database that exist. */
  pods(): Promise<readonly PodView[]>;
  /** How many members the database is to have. */
  wanted(): Promise<number>;
  record(): Promise<InitiationRecord>;
  /** Writes the token into the record if that is still at `version`; answers whether it did. */
  claim(version: string, token: string): Promise<boolean>;
}

/** The token that a member keeps beside its data. */
export interface Volume {
  token(): Promise<string | undefined>;
  /** Makes a token where there is none, on disk before it returns. */
  ensureToken(): Promise<string>;
}

/** Who the member is. */
export interface Identity {
  readonly ordinal: number;
  readonly setName: string;
  /** Address of the member with this ordinal, as the replica set's configuration names it. */
  readonly hostOf: (ordinal: number) => string;
}

/** All that a member decides from and acts on. */
export interface Member {
  readonly identity: Identity;
  readonly servers: Servers;
  readonly cluster: Cluster;
  readonly volume: Volume;
  /** Password of the administrator that the member makes. */
  readonly administratorPassword: string;
}

/** The administrator's name; the user is in the database `admin`. */
export const administrator = "root";

/** MongoDB's numbers of the refusals that a member understands. */
export const refusalCodes = {
  unauthorized: 13,
  authenticationFailed: 18,
  alreadyInitialized: 23,
  commandNotFound: 59,
  exceededTimeLimit: 262,
  notPrimary: 10107,
  userExists: 51003,
} as const;

/** The number of a server's refusal; undefined for any other error. */
export function refusalOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}
