// The seam between what every database has (workload, Services, backup, …) and what an engine decides for itself.
import type * as k8s from "@pulumi/kubernetes";
import type { MemberConfiguration } from "../../contract/member";
import type { RestoreOrigin, UpgradeJob } from "../args";
import type { Container, JobProgram, Volume } from "../pod";
import type { EngineName } from "../../contract/engines";
import type { Settings } from "../settings";
import type { ParameterCatalogue } from "./parameter-classes";

/** A port of the members. */
export interface Port {
  readonly name: string;
  readonly port: number;
}

/** A parameter that cannot be set, and why. */
export interface ParameterProblem {
  readonly parameter: string;
  /** A sentence that names the parameter and says what to do instead. */
  readonly message: string;
}

/** Parameters that a member's pod brings to its server. */
export type StartParameters = MemberConfiguration["parameters"];

/** What is in a ConfigMap. */
export interface ConfigContents {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** What an application needs to connect. */
export interface Connection {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  /** Hosts of all members, for clients that find the primary themselves. */
  readonly members: readonly string[];
  readonly database: string;
}

/** What a member's pod holds beside the generic parts (identity, scheduling, security). */
export interface MemberPod {
  /** Their commands without an init process, which the caller puts before each. */
  readonly containers: Container[];
  readonly volumes: Volume[];
  /** How long a member may take to stop cleanly. */
  readonly terminationGracePeriodSeconds: number;
}

/** What the exporter beside a member tells, for the platform's alerts and dashboard. */
export interface ExportedMetrics {
  /** How far a replica is behind: in seconds, or by when what it applies right now was committed, 0 between two transactions. */
  readonly replicationLag:
    { readonly kind: "seconds"; readonly metric: string } | { readonly kind: "commit time"; readonly metric: string };
  /** Connections in use, and how many there may be: one limit, or the lowest of several, of which 0 is none. Undefined where it does not tell. */
  readonly connections:
    | { readonly kind: "one limit"; readonly used: string; readonly limit: string }
    /** `limits` matches their names. */
    | { readonly kind: "several limits"; readonly used: string; readonly limits: RegExp }
    | undefined;
}

/** What fills the first member's volume, with what its container has beside that volume and what the data come from. */
export interface RestoreProgram extends JobProgram {
  readonly volumes: readonly Volume[];
  /** Volume name to mount path; the data volume, which is named `data`, included. */
  readonly mounts: NonNullable<Container["mounts"]>;
}

/** An engine. Every function is pure: equal settings give equal results. */
export interface Engine {
  readonly name: EngineName;
  readonly ports: {
    /** Where clients connect. */
    readonly client: Port;
    /** Where members reach each other, beside the client port. */
    readonly members: readonly Port[];
    /** Where metrics are served. */
    readonly metrics: Port;
  };
  readonly exported: ExportedMetrics;
  /** What lets a member lead: a lease at the Kubernetes API, or the votes of more than half of the members. */
  readonly electedBy: "lease" | "majority";
  /** The connection string for `connection`, every part escaped. */
  uri(connection: Connection, settings: Settings): string;
  /** Every parameter, with its class: what `parameterProblems` goes by, and docs/parameters.md tells. */
  readonly parameters: ParameterCatalogue;
  /**
   * What is wrong with these engine parameters for this server version. Empty when nothing is. `libraries`: those of its image beside what
   * `images/<engine>` has. Default: the image is not known, and what it has is not judged.
   */
  parameterProblems(
    config: Readonly<Record<string, string>>,
    version: string,
    libraries?: readonly string[],
  ): ParameterProblem[];
  /** Which parameters need more memory than a member may use, whatever its server does, or keep it from what else is asked for. Empty where none does. */
  memoryProblems(settings: Settings): ParameterProblem[];
  /**
   * The parameters that come with a member's pod, by name: those that only a start applies, and those that follow from the pod's size.
   * A server that starts again in the same pod starts with the same, whatever is wanted meanwhile.
   */
  startParameters(settings: Settings): StartParameters;
  /** The engine's configuration, in the ConfigMap `<name>-config`. */
  configuration(settings: Settings): ConfigContents;
  /** What the members may do at the Kubernetes API. */
  accessRules(settings: Settings): k8s.types.input.rbac.v1.PolicyRule[];
  /** The containers and volumes of a member; the data volume is named `data`, and the server's container mounts that of its start parameters. */
  memberPod(settings: Settings): MemberPod;
  /** What the init Job runs; it must be idempotent and wait for a primary. */
  initProgram(settings: Settings): JobProgram;
  /** What backup Jobs run; the backup volume is at `backupDirectory`. */
  backupProgram(settings: Settings): JobProgram;
  /** What keeps changes on the volume of backups, at `backupDirectory`. Missing where `keepsChanges` is something else. */
  archiveProgram?(settings: Settings): JobProgram;
  /**
   * What restores a backup, from the volume at `backupDirectory` or from object storage, or imports from a server elsewhere. It leaves data
   * that it finds as they are. Undefined where it cannot read from there.
   */
  restoreProgram(settings: Settings, origin: RestoreOrigin): RestoreProgram | undefined;
  /** What the Job of a major upgrade runs, with the backups at `backupDirectory` where it is rehearsed. Missing where none is possible. */
  upgradeProgram?(settings: Settings, job: UpgradeJob): RestoreProgram;
  /** What a restore drill runs: it restores the newest backup, from where they go: the volume at `backupDirectory`, or object storage. */
  verifyProgram(settings: Settings): RestoreProgram;
}
