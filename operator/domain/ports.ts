// What the reconcile needs of the world, as interfaces and plain records: kube and stack provide them, tests hand in their own.
import type { UpgradeReport } from "../../contract/upgrade-report";
import type { ObservedDatabase } from "./observed-database";
import type { Catalogue } from "../api/catalogue";
import type { DatabaseBackup } from "../api/backups/object";
import type { DatabaseMetadata } from "../api/object";
import type { Reason } from "../api/reasons";
import type { DatabaseProgram, Desired, Passwords, ServerPem } from "./desired";
import type { Key } from "./key";
import type { StatusWrite, WrittenStatus } from "./status-write";
import type { JobRun, Observation, Members } from "./members";
import type { ChildName, ObservedChild, Drift, Children } from "./children";
import type { Recalled } from "./recalled";
import type { KeptCheckpoint, StackRecords } from "./records";
import type { Engines } from "./engines";
import type { PodWish } from "./pod-wish";
import type { Foresee } from "./foreseen";
import type { ChangePolicy } from "../api/change-policy";
import type { ReadSecretKeys } from "./storage-secrets";
import type { BackupStorage } from "./restore";
import type { Checkpoint, StackRunner } from "./runner";
import type { Issuance } from "./tls";
import type { Upgrade } from "./upgrade";

/** Reads of the watches' local copies: no request. */
export interface World {
  /** Undefined when there is none. */
  database(key: Key): ObservedDatabase | undefined;
  observe(key: Key): Observation;
  /** The children that carry the Database's labels. */
  children(key: Key): ReadonlyMap<ChildName, ObservedChild>;
  /** The Database's pods that are being deleted, as `Pod name (held by …)`. */
  goingPods(key: Key): readonly string[];
  /** Labels of the Database's backups that retention must not remove, sorted; undefined while they are not known. */
  keptBackups(key: Key): readonly string[] | undefined;
  readonly catalogue: Catalogue;
  readonly serviceMonitors: boolean;
}

/** Writes to Database objects. */
export interface Databases {
  addFinalizer(metadata: DatabaseMetadata): Promise<void>;
  removeFinalizer(metadata: DatabaseMetadata): Promise<void>;
  /** Undefined where the object is gone. */
  writeStatus(metadata: DatabaseMetadata, write: StatusWrite): Promise<WrittenStatus | undefined>;
  /** No caller waits for it: an event is a courtesy. */
  recordEvent(metadata: DatabaseMetadata, event: DatabaseEvent): void;
  /** There is no Database of that key any more: what is remembered of it can go. */
  forget(key: Key): void;
}

export interface DatabaseEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: Reason;
  readonly message: string;
}

export interface CredentialCircumstances {
  /** Children that are known to exist, where that is known: lost passwords are taken from them. */
  readonly existing?: ReadonlySet<ChildName>;
  /** Whether the Database has none by a run so far: those of another namespace, of the same name, are not for it. Default: false. */
  readonly isFirst?: boolean;
}

/** Keeps the passwords of record in the operator's namespace. */
export interface Credentials {
  /** The passwords of the Database, created and stored at the first call. */
  ensure(key: Key, circumstances?: CredentialCircumstances): Promise<Passwords>;
  remove(key: Key): Promise<void>;
  /**
   * Takes the passwords of a Database away whose namespace ends. Where volumes outlive it, they are kept for these under another name, by which
   * no Database gets them; undefined where nothing is kept.
   */
  retire(key: Key): Promise<{ readonly secret: string; readonly volumes: readonly string[] } | undefined>;
}

/** What members are known by now, and when something of it is due again. */
export interface Issued {
  readonly pem: ServerPem;
  readonly issuance: Issuance;
  /** Fingerprints of the certificate and the authorities. */
  readonly fingerprints: readonly string[];
}

export interface CertificateCircumstances extends CredentialCircumstances {
  /** Since when what was published can be read, by fingerprints. Missing: it is taken to be so since it was issued. */
  readonly published?: Readonly<Record<string, string>>;
}

/** Issues what members are known by, and keeps it, with the keys that sign, in the operator's namespace. */
export interface ServerCertificates {
  /** Does what is due, and answers with what counts now; all of it is created at the first call. */
  ensure(key: Key, circumstances?: CertificateCircumstances): Promise<Issued>;
  /** Whether members and clients have what was issued: a run that failed may have come so far. */
  isPublished(key: Key, issued: Pick<Issued, "pem">): Promise<boolean>;
  /** Writes it into their Secrets, which are there and of this Database, outside of a run. */
  publish(key: Key, issued: Pick<Issued, "pem">): Promise<void>;
  remove(key: Key): Promise<void>;
}

/** What is looked at before data are destroyed: read again each time, for what follows cannot be undone. */
export interface LastLook {
  /**
   * The Database of that uid, if it is being deleted: a copy may be of the past, its policy have been taken back, and another have its name
   * by now.
   */
  ending(key: Key, uid: string): Promise<ObservedDatabase | undefined>;
  /** Whether the Database's namespace is being deleted, and everything in it with it. */
  namespaceEnds(key: Key): Promise<boolean>;
  /** Whether there may be data: a data volume exists, and a member may have written to it. */
  hasData(key: Key): Promise<boolean>;
  /** The ConfigMaps in which members of that name keep what they agreed on, as far as there are any. */
  consensus(key: Key): Promise<readonly string[]>;
  /** Children that are being deleted and that a finalizer of another owner holds, data aside, as `Kind name (held by …)`. */
  held(key: Key): Promise<readonly string[]>;
  /** How the Job fares that restores, or imports, for the Database of that uid; undefined where there is none. */
  restore(key: Key, wanted: { readonly uid: string; readonly job: string }): Promise<JobRun["state"] | undefined>;
  /** How the Job of the last backup that answers `wish` fares; undefined where there is none. */
  finalBackup(key: Key, wish: string): Promise<JobRun["state"] | undefined>;
}

/** The Job of a major upgrade, as it was read, with what its program said last. */
export interface UpgradeJobSeen {
  readonly state: JobRun["state"];
  /** RFC 3339; missing where it has not begun. */
  readonly startedAt?: string;
  readonly report?: UpgradeReport;
  /** What its pod waits for that only a person ends, as Kubernetes calls it; missing where it waits for nothing of the kind. */
  readonly waits?: string;
}

/** What a step of a major upgrade is decided by: read past the watches' copies. */
export interface UpgradeLooks {
  /** How many pods have the data volume of a member, or may still have it: those that are ending, and those of Jobs, included. */
  occupants(key: Key): Promise<number>;
  /** The Job that answers this request; undefined where there is none. */
  job(key: Key, request: string): Promise<UpgradeJobSeen | undefined>;
  /** Whether the first member is the only one that may lead, by the record of those that elect: they have it some seconds after the others have ended. */
  leadsAlone(key: Key): Promise<boolean>;
  /** Whether the init Job of this image has succeeded. */
  isInitialized(key: Key, image: string): Promise<boolean>;
  /** The upgrade that the last run declared, for when the record of it is lost; undefined where there is none, or none that can be read. */
  declared(key: Key): Promise<Upgrade | undefined>;
}

/** The records of backups, where a Database goes: read past the watches' copies. A cluster that does not know the kind has none. */
export interface BackupObjects {
  /** Whether it is recorded that the Job of the last backup that answers `wish` succeeded: with the Job goes what is known of the backup. */
  isTold(key: Key, wish: string): Promise<boolean>;
  /** All of the namespace. */
  all(namespace: string): Promise<readonly DatabaseBackup[]>;
  /** Whether there is a PersistentVolumeClaim of that name. */
  hasClaim(namespace: string, name: string): Promise<boolean>;
  /** In which object storage the backups of a Database of that name are; undefined where that is not known, or they are in none. */
  storage(key: Key): Promise<BackupStorage | undefined>;
  /** Of the Secrets by which it is opened. */
  readonly secretKeys: ReadSecretKeys;
  /** Ends a restore drill: its Job goes, with its pod. */
  endDrill(key: Key, job: string): Promise<void>;
  /** Removes the records of the Database's backups, as these are gone. */
  remove(key: Key): Promise<void>;
}

/** Parameters of a ConfigMap of the Database's namespace; undefined when there is none. */
export type ReadConfigSource = (
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** Whether nodes could take members. */
export interface Placement {
  /**
   * Why no node could take such a pod, or none that reaches the volume of one of these claims, or not all at once where they must keep apart;
   * undefined where they could, or it is not known. Claims that are not there are passed over.
   */
  problemOf(wanted: PodWish, namespace: string, claims: readonly string[]): Promise<string | undefined>;
}

/** What volumes can do, and how large they are asked to be. */
export interface Volumes {
  /** Whether volumes of this StorageClass can grow; undefined where there is no such class. */
  canGrow(storageClass: string): Promise<boolean | undefined>;
  /** Whether a volume of this class, or else of that of the claim, outlives its claim; false where that is not known. */
  isKept(volume: {
    readonly namespace: string;
    readonly claim: string;
    readonly storageClass: string | undefined;
  }): Promise<boolean>;
  /** The StorageClass of a claim that exists. */
  classOf(namespace: string, claim: string): Promise<string | undefined>;
  /** The size that a claim asks for; undefined where there is none. */
  sizeOf(namespace: string, claim: string): Promise<string | undefined>;
}

/** When the API server was asked last about Databases that are being deleted. */
export interface DeletionLooks {
  /** The API server is asked now. */
  note(key: Key, now: Date): void;
  /** Whether it was asked so lately that the watches need not be doubted. */
  isRecent(key: Key, now: Date): boolean;
  forget(key: Key): void;
}

/** How the rollout of a Database fares that has begun. */
export type RolloutStanding =
  | { readonly kind: "restarting" }
  /** A member does not come back, or does not start with what is new. */
  | { readonly kind: "stopped"; readonly why: string };

/** Which Databases what is asked for may reach: those of all namespaces, or of that of the Database alone. */
export type Reach = "all" | "namespace";

/** A Database that is to begin. */
export interface Asking {
  readonly members: number;
  readonly reach: Reach;
}

/** Restarts that the platform asks for, over all Databases. */
export interface Fleet {
  /** Whether a Database may begin: undefined, and then it counts as begun, or why it must wait. It is woken when that may have changed. */
  ask(key: Key, asking: Asking): string | undefined;
  /** How one fares that has begun. */
  note(key: Key, standing: RolloutStanding, reach: Reach): void;
  /** One has come through. */
  done(key: Key): void;
  /** Nothing must be restarted there any more, its own spec asks for it now, or it did not begin after all. */
  forget(key: Key): void;
}

/** What the platform says of changes. */
export interface ChangeSettings {
  /** Of Databases without a policy of their own. */
  readonly policy: ChangePolicy;
  /** Of the same in addition, where another release of the operator declares their children: who has no policy has agreed to none. */
  readonly releases: ChangePolicy;
  /** Whether the API server judges who approves: else no approval counts. */
  readonly areApprovalsJudged: boolean;
  /** Whether who asked for a change may approve it. */
  readonly mayAuthorApprove: boolean;
}

export interface Ports {
  readonly world: World;
  readonly databases: Databases;
  readonly records: StackRecords;
  /** The Databases whose first run is in progress in this process. */
  readonly firstRuns: Set<Key>;
  readonly credentials: Credentials;
  readonly certificates: ServerCertificates;
  readonly children: Children;
  readonly lastLook: LastLook;
  readonly backups: BackupObjects;
  readonly deletionLooks: DeletionLooks;
  readonly members: Members;
  readonly upgrades: UpgradeLooks;
  readonly placement: Placement;
  readonly volumes: Volumes;
  readonly fleet: Fleet;
  readonly configSource: ReadConfigSource;
  readonly engines: Engines;
  readonly stacks: StackRunner<DatabaseProgram>;
  /** Compresses what a run left. */
  readonly keep: (checkpoint: Checkpoint, stack: string) => Promise<KeptCheckpoint>;
  /** Digest of everything that decides the children, the program's own version included. */
  readonly digest: (desired: Desired) => string;
  /** The release of the code that declares children. */
  readonly release: string;
  /** The template of the members' pods as that code declares it. */
  readonly memberTemplate: (desired: Desired) => Promise<unknown>;
  readonly foresee: Foresee;
  readonly changes: ChangeSettings;
  /** The number of the newest DatabaseRevision of the Database of that uid: a record may have been lost. 0 where none is known. */
  readonly lastRevision: (key: Key, uid: string) => number;
  /** What the Database of that uid runs by, where its record was lost; undefined where nothing runs, or it is not known. */
  readonly recall: (key: Key, uid: string) => Promise<Recalled | undefined>;
  readonly now: () => Date;
  /** Aborts runs when the operator stops. */
  readonly signal: AbortSignal;
  readonly onRun: (run: RunNote) => void;
  readonly onDrift: (note: DriftNote) => void;
  readonly onRestart: (note: RestartNote) => void;
}

/** Notified of every member that is restarted, for logs and metrics. */
export interface RestartNote {
  readonly key: Key;
  readonly member: string;
  readonly role: "primary" | "replica" | "none";
  readonly message: string;
}

/** Notified at each look of all that differs from what is declared, and of what a run restored. */
export interface DriftNote {
  readonly key: Key;
  /** `found` with no drift: all is as declared. */
  readonly state: "found" | "repaired";
  readonly drift: readonly Drift[];
}

/** Notified of every run, for logs and metrics. */
export interface RunNote {
  readonly key: Key;
  readonly operation: "up" | "destroy";
  readonly result: "succeeded" | "failed" | "refused" | "timedOut" | "corrupt";
  readonly seconds: number;
  readonly message: string;
}
