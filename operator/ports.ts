// What the reconcile needs of the world, as interfaces and plain records: kube and stack provide them, tests hand in their own.
import type { Catalogue } from "./api/catalogue";
import type { DatabaseMetadata } from "./api/object";
import type { Engine } from "./api/spec";
import type { DatabaseStatus } from "./api/status";
import type { Reason } from "./api/reasons";
import type { DatabaseProgram, Desired, Passwords } from "./stack/desired";
import type { AppliedWorkload, Checkpoint, StackRunner } from "./stack/runner";

export type { AppliedWorkload, Passwords };

/** `namespace/name` of a Database. */
export type Key = string;

/** One member's pod. */
export interface Member {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly ready: boolean;
  /** The role that the member reports about itself; undefined while it has none. */
  readonly role: "primary" | "replica" | undefined;
  /** Why the pod cannot run, in the kubelet's or scheduler's words; undefined while nothing is wrong. */
  readonly problem: string | undefined;
  /** Whether the pod is being deleted. */
  readonly terminating: boolean;
}

/** The StatefulSet's own account of itself. */
export interface Workload extends AppliedWorkload {
  /** Members that it wants. */
  readonly wanted: number;
  /** Whether every pod runs the present template and the controller has seen the present spec. */
  readonly settled: boolean;
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
}

/** What the watches show of one Database's children. */
export interface Observation {
  readonly workload: Workload | undefined;
  readonly members: readonly Member[];
  readonly jobs: readonly JobRun[];
}

/** Reads of the watches' local copies: no request. */
export interface World {
  /** The Database as the API server sent it; undefined when there is none. */
  database(key: Key): unknown;
  observe(key: Key): Observation;
  readonly catalogue: Catalogue;
  readonly serviceMonitors: boolean;
}

/** Writes to Database objects. */
export interface Databases {
  addFinalizer(metadata: DatabaseMetadata): Promise<void>;
  removeFinalizer(metadata: DatabaseMetadata): Promise<void>;
  writeStatus(metadata: DatabaseMetadata, status: DatabaseStatus): Promise<void>;
  recordEvent(metadata: DatabaseMetadata, event: DatabaseEvent): Promise<void>;
}

export interface DatabaseEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: Reason;
  readonly message: string;
}

/** What is remembered of a stack between runs. */
export interface StackRecord {
  /** undefined before the first run and after the destroy. */
  readonly checkpoint: Checkpoint | undefined;
  /** Of everything that decided the last successful run; undefined when the last run failed. */
  readonly digest: string | undefined;
  /** UID of the Database that the last run was for. */
  readonly uid: string;
  /** Counts the successful changes, from 1. */
  readonly revision: number;
  readonly summary: string;
  /** RFC 3339. */
  readonly changedAt: string;
  /** The StatefulSet after the last successful run; undefined before. */
  readonly workload: AppliedWorkload | undefined;
  /** Version of the engine that the last successful run declared; empty before. */
  readonly serverVersion: string;
  /** The store's fence: a save with an outdated one fails. */
  readonly version: string;
}

/** Keeps stack records in the cluster. A save or removal throws when somebody else saved in between. */
export interface StackRecords {
  load(key: Key): Promise<StackRecord | undefined>;
  save(key: Key, record: StackRecord): Promise<StackRecord>;
  remove(key: Key): Promise<void>;
}

/** Keeps the passwords of record in the operator's namespace. */
export interface Credentials {
  /** The passwords of the Database, made and stored at the first call. */
  ensure(key: Key): Promise<Passwords>;
  remove(key: Key): Promise<void>;
}

/** Children in the cluster, by name and by label. */
export interface Children {
  /** Objects that have a child's name and belong to somebody else, as `Kind name`; those that are `known` are not looked at. */
  conflicts(key: Key, known: ReadonlySet<string>): Promise<readonly string[]>;
  /**
   * Makes what exists fit to be adopted by a run without state: Jobs, which cannot be changed, are deleted, to be made
   * again; the StatefulSet's claim template, which cannot be changed either, is read.
   */
  prepareAdoption(key: Key): Promise<Pick<DatabaseProgram, "claimTemplateStorage">>;
  /** Deletes what still carries the Database's label, data only where told; returns what is not gone yet, as `Kind name`. */
  sweep(key: Key, options: { readonly data: boolean }): Promise<readonly string[]>;
}

/** Parameters of a ConfigMap of the Database's namespace; undefined when there is none. */
export type ReadConfigSource = (
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** What is known of engines without running anything. */
export interface Engines {
  readonly available: readonly Engine[];
  /** Why these parameters cannot be set, one line each. */
  parameterProblems(
    server: { readonly engine: Engine; readonly version: string },
    config: Readonly<Record<string, string>>,
  ): readonly string[];
}

export interface Ports {
  readonly world: World;
  readonly databases: Databases;
  readonly records: StackRecords;
  readonly credentials: Credentials;
  readonly children: Children;
  readonly configSource: ReadConfigSource;
  readonly engines: Engines;
  readonly stacks: StackRunner<DatabaseProgram>;
  readonly stackName: (namespace: string, name: string) => string;
  /** Digest of everything that decides the children, the program's own version included. */
  readonly digest: (desired: Desired) => string;
  readonly now: () => Date;
  /** Aborts runs when the operator stops. */
  readonly signal: AbortSignal;
  readonly onRun: (run: RunNote) => void;
}

/** Told of every run, for logs and metrics. */
export interface RunNote {
  readonly key: Key;
  readonly operation: "up" | "destroy";
  readonly result: "succeeded" | "failed" | "timedOut" | "corrupt";
  readonly seconds: number;
  readonly message: string;
}
