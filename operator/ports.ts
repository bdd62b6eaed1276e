// What the reconcile needs of the world, as interfaces and plain records: kube and stack provide them, tests hand in their own.
import type { Requests } from "./placement/placement";
import type { Fleet } from "./rollout/fleet";
import type { Catalogue, CatalogueEntry } from "./api/catalogue";
import type { DatabaseMetadata } from "./api/object";
import type { DatabaseSpec, Engine } from "./api/spec";
import type { DatabaseStatus } from "./api/status";
import type { Reason } from "./api/reasons";
import type { DeletionLooks } from "./reconcile/deletion-looks";
import type { DatabaseProgram, Desired, Passwords } from "./stack/desired";
import type { AppliedWorkload, Checkpoint, StackRunner } from "./stack/runner";

export type { AppliedWorkload, Desired, Passwords };

/** `namespace/name` of a Database. */
export type Key = string;

/** One member's pod. */
export interface Member {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly uid: string;
  /** Revision of the StatefulSet's template that it was made from; empty where it was made by nobody. */
  readonly revision: string;
  readonly ready: boolean;
  /** The role that the member reports about itself; undefined while it has none. */
  readonly role: "primary" | "replica" | undefined;
  /**
   * Of a replica: whether it is ready and takes over what the primary writes, by its agent's word. An agent that says nothing of it is not
   * ready where it does not.
   */
  readonly streaming: boolean;
  /** Why the pod cannot run, in the kubelet's or scheduler's words; undefined while nothing is wrong. */
  readonly problem: string | undefined;
  /** Why it does not start, where that is certain: a start that takes long is no failure. Stays until the member is ready. */
  readonly failure: string | undefined;
  /** The server's own last words, where it does not start and said why. Default: none. */
  readonly complaint?: string;
  /** Why only a person can decide how it goes on, in its agent's words. Default: it goes on by itself. */
  readonly undecided?: string;
  /** Whether it has ever been ready since its pod was made. */
  readonly served: boolean;
  /** Whether the pod is being deleted. */
  readonly terminating: boolean;
}

/** The StatefulSet's own account of itself. */
export interface Workload extends AppliedWorkload {
  /** Members that it wants. */
  readonly wanted: number;
  /** Whether its controller has seen the present spec; else what follows is of an earlier one. */
  readonly seen: boolean;
  /** Revision of the template that pods are made from. */
  readonly revision: string;
}

/** A Job of a Database. */
export interface JobRun {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly component: string;
  readonly state: "running" | "succeeded" | "failed";
  /** RFC 3339; undefined while it runs. */
  readonly finishedAt: string | undefined;
  readonly createdAt: string;
  /** Why it failed, or has not succeeded yet, in the words of its last pod; missing where it did, or nothing tells. */
  readonly trouble?: string;
  /** Name of the backup that it took; missing where it took none, or nothing tells. */
  readonly backup?: string;
}

/** What the watches show of one Database's children. */
export interface Observation {
  readonly workload: Workload | undefined;
  readonly members: readonly Member[];
  readonly jobs: readonly JobRun[];
}

/** One child as `Kind name`, for example `StatefulSet shop`. */
export type ChildName = string;

/** What tells whether a child is still as a run left it. */
export interface ChildMark {
  readonly uid: string;
  /** Digest of the fields that our field manager owns and of the time at which it last applied them. */
  readonly applied: string;
}

/** A child as a run left it. */
export interface DeclaredChild extends ChildMark {
  readonly urn: string;
  /** Paths of the fields that our field manager owns, such as `spec.replicas`. */
  readonly fields: ReadonlySet<string>;
}

/** A child as the watches show it. */
export interface ObservedChild extends ChildMark {
  /** Whether it is being deleted. */
  readonly terminating: boolean;
  /** Whether it has a name that only runs give, and holds no data: where no run is known to have made it, it is left over. */
  readonly disposable: boolean;
}

/** How one child differs from what the last run left. */
export interface Drift {
  readonly child: ChildName;
  /** Empty for one that the stored state does not know. */
  readonly urn: string;
  /**
   * `deleted`: it is gone; `replaced`: it was made anew, with our labels; `edited`: fields of ours were changed;
   * `outdated`: our own field manager applied something that the stored state does not know of; `surplus`: it is there,
   * with our labels, and the stored state does not know it.
   */
  readonly kind: "deleted" | "replaced" | "edited" | "outdated" | "surplus";
  /** The fields that are no longer as declared; empty where it is gone. */
  readonly fields: readonly string[];
  /** The field manager that changed them; undefined where nothing tells. */
  readonly by: string | undefined;
  /** The size that a claim asks for now; undefined for other kinds and for a claim that is gone. */
  readonly size?: string;
  /** Of the object that is there now; undefined where there is none, or the stored state does not know it. */
  readonly uid?: string;
}

/** Reads of the watches' local copies: no request. */
export interface World {
  /** The Database as the API server sent it; undefined when there is none. */
  database(key: Key): unknown;
  observe(key: Key): Observation;
  /** The children that carry the Database's labels. */
  children(key: Key): ReadonlyMap<ChildName, ObservedChild>;
  /** The Database's pods that are being deleted, as `Pod name (held by …)`. */
  goingPods(key: Key): readonly string[];
  readonly catalogue: Catalogue;
  readonly serviceMonitors: boolean;
}

/** Writes to Database objects. */
export interface Databases {
  addFinalizer(metadata: DatabaseMetadata): Promise<void>;
  removeFinalizer(metadata: DatabaseMetadata): Promise<void>;
  /** Returns the object's resourceVersion afterwards; undefined where it is gone. */
  writeStatus(metadata: DatabaseMetadata, status: DatabaseStatus): Promise<string | undefined>;
  /** Nobody waits for it: an event is a courtesy. */
  recordEvent(metadata: DatabaseMetadata, event: DatabaseEvent): void;
  /** There is no Database of that key any more: what is remembered of it can go. */
  forget(key: Key): void;
}

export interface DatabaseEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: Reason;
  readonly message: string;
}

/** What cannot change freely once a run declared it. */
export interface Declared {
  readonly engine: Engine;
  readonly version: string;
  readonly storage: string;
  readonly storageClass?: string;
  /** Of the backup volume; missing where there is none. */
  readonly backupSize?: string;
  readonly backupStorageClass?: string;
}

/** What was accepted of a Database, with everything that it referred to: kept up while something else is asked for that cannot be had. */
export type Accepted = Pick<Desired, "spec" | "image" | "config">;

/** One successful change of a Database's children. */
export interface Revision {
  /** Counts from 1. */
  readonly revision: number;
  /** RFC 3339. */
  readonly at: string;
  /** How long the run took. */
  readonly seconds: number;
  /** Digest of the desired state. */
  readonly digest: string;
  /** For example "1 updated, 18 unchanged". */
  readonly summary: string;
  /** The field manager that wrote the spec last, or changed the child that was put back; empty where unknown. */
  readonly by: string;
  /** What was put back, as `Kind name: fields`; missing where the change was asked for. */
  readonly putBack?: readonly string[];
  /** What of the members' pods it changed, so that they are restarted; missing where they are not. */
  readonly restarts?: string;
  /** Generation of the Database; missing where an earlier operator wrote it. */
  readonly generation?: number;
  /** Whether something other than the Database asked for it, such as the catalogue or a new operator; missing where not. */
  readonly byPlatform?: boolean;
}

/** How many revisions are kept. */
export const longestHistory = 20;

/** Marks of all children that a checkpoint holds. */
export type ChildMarks = ReadonlyMap<ChildName, ChildMark>;

/** A checkpoint between runs: compressed, for of a thousand nearly all are idle. */
export interface KeptCheckpoint {
  readonly packed: Buffer;
  /** What is compared with the children that exist; undefined where the checkpoint cannot be read. */
  readonly marks: ChildMarks | undefined;
  /** Expands it; empty where it is damaged, which counts as unreadable. */
  text(): Checkpoint;
}

/** What is remembered of a stack between runs. */
export interface StackRecord {
  /** undefined before the first run and after the destroy. */
  readonly checkpoint: KeptCheckpoint | undefined;
  /** Of everything that decided the last successful run; undefined when the last run failed. */
  readonly digest: string | undefined;
  /** UID of the Database that the last run was for. */
  readonly uid: string;
  /** The StatefulSet after the last successful run; undefined before. */
  readonly workload: AppliedWorkload | undefined;
  /** What the last successful run declared; undefined before. */
  readonly declared: Declared | undefined;
  /**
   * What the children are as, or are being put back to. Undefined before the first run, after one that failed at carrying something else out,
   * and where an earlier operator wrote the record.
   */
  readonly accepted: Accepted | undefined;
  /** The last successful changes, newest first, at most `longestHistory`. */
  readonly history: readonly Revision[];
  /** UID of the Database whose last backup has succeeded: nothing but the destroy comes after it. Missing before. */
  readonly finalBackup?: string;
  /** The store's fence: a save with an outdated one fails. */
  readonly version: string;
}

/** Somebody else saved a record in between: what was to be saved says nothing about the present. */
export class OutdatedRecord extends Error {
  override readonly name = "OutdatedRecord";
}

/** Keeps stack records in the cluster. A save throws an OutdatedRecord when somebody else saved in between. */
export interface StackRecords {
  load(key: Key): Promise<StackRecord | undefined>;
  save(key: Key, record: StackRecord): Promise<StackRecord>;
  remove(key: Key): Promise<void>;
  /** Drops what is remembered of it, not the record: that is read again when it is asked for. */
  forget(key: Key): void;
}

export interface CredentialCircumstances {
  /** Children that are known to exist, where that is known: lost passwords are taken from them. */
  readonly existing?: ReadonlySet<ChildName>;
  /** Whether the Database has none by a run so far: those of another namespace, of the same name, are not for it. Default: false. */
  readonly isFirst?: boolean;
}

/** Keeps the passwords of record in the operator's namespace. */
export interface Credentials {
  /** The passwords of the Database, made and stored at the first call. */
  ensure(key: Key, circumstances?: CredentialCircumstances): Promise<Passwords>;
  remove(key: Key): Promise<void>;
  /**
   * Takes the passwords of a Database away whose namespace ends. Where volumes outlive it, they are kept for these under another name, by which
   * no Database gets them; undefined where nothing is kept.
   */
  retire(key: Key): Promise<{ readonly secret: string; readonly volumes: readonly string[] } | undefined>;
}

/** What a look at children found. */
export interface Inspection {
  readonly drift: readonly Drift[];
  /** Objects of somebody else that now have a child's name. */
  readonly conflicts: readonly ChildName[];
  /** Children that are on their way out: they can be made again once they are gone. */
  readonly terminating: readonly ChildName[];
}

/** What has the name of a child in the cluster. */
export interface Standing {
  /** Objects of somebody else. */
  readonly conflicts: readonly ChildName[];
  /** Objects with the Database's labels, by name with their UIDs, but for those that were not asked about. */
  readonly ours: ReadonlyMap<ChildName, string>;
}

/** Children in the cluster, by name and by label. */
export interface Children {
  /** Reads what has the name of a child of `desired`; those that are `known` are not asked about. */
  standing(key: Key, desired: Desired, known: ReadonlySet<ChildName>): Promise<Standing>;
  /** Reads children anew, past the watches' copies, and tells how they differ from what is declared. */
  inspect(key: Key, suspects: ReadonlyMap<ChildName, DeclaredChild>): Promise<Inspection>;
  /** Those among `children` that exist, carry the Database's labels and are not being deleted, read anew. */
  existing(key: Key, children: readonly ChildName[]): Promise<readonly ChildName[]>;
  /** Deletes those among `children` that exist and carry the Database's labels. */
  remove(key: Key, children: readonly ChildName[]): Promise<void>;
  /** The size in the claim template of the StatefulSet that exists, which cannot be changed; empty where there is none. */
  claimTemplate(key: Key): Promise<Pick<DatabaseProgram, "claimTemplateStorage">>;
  /**
   * Makes what exists, `ours`, fit to be adopted by a run that does not know it: Jobs, which cannot be changed, are
   * deleted, to be made again. Without any data volume, what consensus kept of former ones is deleted, too. The
   * StatefulSet's claim template, which cannot be changed either, is read.
   */
  prepareAdoption(
    key: Key,
    ours: ReadonlyMap<ChildName, string>,
  ): Promise<Pick<DatabaseProgram, "claimTemplateStorage">>;
  /** Has the members stop while they still have all that they need for it; returns what is not gone yet, as `Kind name`. */
  stopMembers(key: Key): Promise<readonly string[]>;
  /** Deletes the Database's children that are still there, but for what is kept. */
  sweep(key: Key, keep: Keep): Promise<Swept>;
}

/** What a sweep found, as `Kind name`. */
export interface Swept {
  /** Children that are not gone yet. */
  readonly left: readonly string[];
  /** What carries the labels of a child and is none, by its name: left alone. */
  readonly strangers: readonly string[];
}

/** What a deletion leaves: data volumes, backups and credentials; without the data volumes; or nothing of it. */
export type Keep = "all data" | "backups" | "nothing";

/** What is looked at before data are destroyed: read anew each time, for what follows cannot be taken back. */
export interface LastLook {
  /**
   * The Database of that uid, if it is being deleted: a copy may be of the past, its policy have been taken back, and another have its name
   * by now.
   */
  ending(key: Key, uid: string): Promise<unknown>;
  /** Whether the Database's namespace is being deleted, and everything in it with it. */
  namespaceEnds(key: Key): Promise<boolean>;
  /** Whether there may be data: a data volume exists, and a member may have written to it. */
  hasData(key: Key): Promise<boolean>;
  /** Children that are being deleted and that somebody's finalizer holds, data aside, as `Kind name (held by …)`. */
  held(key: Key): Promise<readonly string[]>;
  /** How the Job of the last backup that answers `wish` fares; undefined where there is none. */
  finalBackup(key: Key, wish: string): Promise<JobRun["state"] | undefined>;
}

/** A member to be restarted, as it was read last. */
export interface FreshMember extends Member {
  readonly resourceVersion: string;
}

/** What was read anew of one Database's members. */
export interface MembersNow {
  readonly workload: Workload | undefined;
  readonly members: readonly FreshMember[];
}

/**
 * What became of a wish to restart a member: `changed` since it was read, or `forbidden` by a disruption budget, in the API
 * server's words; to be tried again after `afterMs`.
 */
export type Eviction =
  | { readonly kind: "begun" | "changed" }
  | { readonly kind: "forbidden"; readonly message: string; readonly afterMs: number };

/** Members read past the watches' copies, and restarted: the StatefulSet makes a pod anew that has gone. */
export interface Members {
  read(key: Key): Promise<MembersNow>;
  /** Has the pod end gracefully, if it is still as it was read and no disruption budget forbids it. */
  evict(member: FreshMember): Promise<Eviction>;
  /** Drops what is remembered of the Database's members. */
  forget(key: Key): void;
}

/** Parameters of a ConfigMap of the Database's namespace; undefined when there is none. */
export type ReadConfigSource = (
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** What is known of engines without running anything. */
export interface Engines {
  readonly available: readonly Engine[];
  /** Why these parameters cannot be set, one line each. `entry`: of the version in the catalogue; without it nobody judges what the image has. */
  parameterProblems(
    server: { readonly engine: Engine; readonly version: string },
    config: Readonly<Record<string, string>>,
    entry?: Pick<CatalogueEntry, "libraries">,
  ): readonly string[];
  /** Which of these parameters need more memory than a member of this spec may use, one line each. */
  memoryProblems(spec: DatabaseSpec, config: Readonly<Record<string, string>>): readonly string[];
  /** What lets a member lead: a lease, or the votes of more than half of the members. */
  electedBy(engine: Engine): "lease" | "majority";
  /** What the pod of a member asks for. */
  requestsOf(spec: DatabaseSpec): Requests;
}

/** Whether nodes could take members. */
export interface Placement {
  /**
   * Why no node could take a pod with these requests, or none that reaches the volume of one of these claims; undefined where one could, or
   * nobody can tell. Claims that are not there are passed over.
   */
  problemOf(requests: Requests, namespace: string, claims: readonly string[]): Promise<string | undefined>;
}

export interface Ports {
  readonly world: World;
  readonly databases: Databases;
  readonly records: StackRecords;
  /** The Databases whose first run goes on in this process. */
  readonly firstRuns: Set<Key>;
  readonly credentials: Credentials;
  readonly children: Children;
  readonly lastLook: LastLook;
  readonly deletionLooks: DeletionLooks;
  readonly members: Members;
  readonly placement: Placement;
  readonly fleet: Fleet;
  readonly configSource: ReadConfigSource;
  readonly engines: Engines;
  readonly stacks: StackRunner<DatabaseProgram>;
  readonly stackName: (namespace: string, name: string) => string;
  /** Compresses what a run left. */
  readonly keep: (checkpoint: Checkpoint, stack: string) => Promise<KeptCheckpoint>;
  /** Digest of everything that decides the children, the program's own version included. */
  readonly digest: (desired: Desired) => string;
  readonly now: () => Date;
  /** Aborts runs when the operator stops. */
  readonly signal: AbortSignal;
  readonly onRun: (run: RunNote) => void;
  readonly onDrift: (note: DriftNote) => void;
  readonly onRestart: (note: RestartNote) => void;
}

/** Told of every member that is restarted, for logs and metrics. */
export interface RestartNote {
  readonly key: Key;
  readonly member: string;
  readonly role: "primary" | "replica" | "none";
  readonly message: string;
}

/** Told at each look of all that is otherwise than declared, and of what a run put back. */
export interface DriftNote {
  readonly key: Key;
  /** `found` with no drift: all is as declared. */
  readonly state: "found" | "repaired";
  readonly drift: readonly Drift[];
}

/** Told of every run, for logs and metrics. */
export interface RunNote {
  readonly key: Key;
  readonly operation: "up" | "destroy";
  readonly result: "succeeded" | "failed" | "refused" | "timedOut" | "corrupt";
  readonly seconds: number;
  readonly message: string;
}
