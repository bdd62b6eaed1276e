// What one Database shall be, as plain data: the spec with everything that it refers to resolved.
import type { Certificates, DatabaseArgs, UpgradeStep } from "../../components/args";
import type { ServerTls } from "../../contract/tls";
import type { DatabaseSpec } from "../api/spec";
import type { DesiredRestore } from "./restore";

/** The object that owns the children. */
export interface Owner {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Everything that decides the children, but for the passwords. */
export interface Desired {
  readonly owner: Owner;
  readonly spec: DatabaseSpec;
  /** The catalogue's image for the spec's engine and version. */
  readonly image: string;
  /** Engine parameters: those of configFrom, overridden by those of config. */
  readonly config: Readonly<Record<string, string>>;
  /** Whether the cluster knows ServiceMonitors. */
  readonly serviceMonitors: boolean;
  /** Labels of backups that retention must not remove, sorted. Undefined: not known, so that those of the last run remain. */
  readonly keptBackups?: readonly string[];
  /** What the data are being copied from: until they are there, no member is. Missing at any other time. */
  readonly restore?: DesiredRestore;
  /** What a major upgrade in progress has the stack declare; version and image are those of its members. Missing: there is none. */
  readonly upgrade?: UpgradeStep;
  /** Which TLS members get now, on their way to what the spec asks for. Missing where nothing on record was added: the spec's. */
  readonly tls?: ServerTls;
  /** Asks for a last backup; another text asks for another one. Missing while nothing is being deleted. */
  readonly finalBackup?: string;
}

/** A Database's passwords; created once and kept for its life. */
export type Passwords = Readonly<Record<keyof DatabaseArgs["passwords"], string>>;

/** What members are known by, in PEM. */
export type ServerPem = Readonly<Record<keyof Certificates, string>>;

/** What a run is handed. */
export interface DatabaseProgram {
  readonly desired: Desired;
  readonly passwords: Passwords;
  /** Missing where members have none. */
  readonly certificates?: ServerPem;
  /**
   * Size in the claim template of the StatefulSet that is adopted: the template is immutable, and storage may have grown
   * since. undefined where nothing is adopted.
   */
  readonly claimTemplateStorage?: string;
  /** The members' template as the last run declared it, where members must keep it. Missing: what is desired decides. */
  readonly memberTemplate?: unknown;
  /** Whether the Job of the first backup has not succeeded yet, and so follows where pods run and what they carry. Missing: no. */
  readonly retriesFirstBackup?: true;
}
