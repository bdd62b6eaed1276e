// What the invariants are judged from: everything that was read of a cluster and of the operator's process, as plain data.

/** `namespace/name` of a Database. */
export type Key = string;

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

/** A Database, as far as it is judged. */
export interface DatabaseView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerView[];
  readonly spec: {
    readonly engine: string;
    readonly replicas: number;
    readonly paused: boolean;
    readonly deletionPolicy: string;
    readonly backup: boolean;
    /** Whether they go to object storage rather than to a volume. */
    readonly backupsElsewhere: boolean;
    /** Whether nobody switched restore drills off. */
    readonly drills: boolean;
    /** Whether what changes between backups is kept on their volume. */
    readonly archived: boolean;
    readonly monitoring: boolean;
    /** Whether members have a certificate. */
    readonly tls: boolean;
    /** Name of the ConfigMap in `configFrom`; empty where there is none. */
    readonly configFrom: string;
  };
  readonly observedGeneration: number;
  readonly conditions: readonly ConditionView[];
  /** When the window opens that a change of it waits for, in milliseconds since 1970; undefined where none does. */
  readonly windowOpensAt?: number | undefined;
  /** The whole status, as JSON. */
  readonly status: string;
}

export interface OwnerView {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

/** An object of a kind that children have. */
export interface ObjectView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerView[];
  readonly managers: readonly string[];
  readonly deleting: boolean;
}

/** A Secret `state.<stack>` of the operator's namespace. */
export interface StateView {
  readonly stack: string;
  /** UID of the Database that the last run was for. */
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** What is stored beside the checkpoint, in clear. */
  readonly notes: readonly string[];
  /** JSON text; undefined where none is stored, empty where it cannot be expanded. */
  readonly checkpoint: string | undefined;
}

export interface EventView {
  readonly namespace: string;
  /** `Kind name` of what it is about. */
  readonly about: string;
  readonly uid: string;
  readonly source: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** One event of the watch of all Databases; `deleted` is the last one of an object. */
export interface WatchedDatabase {
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  readonly deleted: boolean;
  /** The first that a watch showed of the object: where there was one before, versions may be missing in between. */
  readonly first: boolean;
  readonly database: DatabaseView;
}

/** One request in the API server's audit log that changed something, or tried to; and every one that was forbidden. */
export interface AuditedWrite {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly user: string;
  /** What proved who it is: several processes of one user have one each. Empty where the log does not show it. */
  readonly credential: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly code: number;
  /** Why it was refused; empty where it was not. */
  readonly answer: string;
}

/** What is left on the operator's machine. */
export interface Leftovers {
  /** Whether the operator still runs: its own process is no leftover then. */
  readonly running: boolean;
  /** Paths below the work directory and, where it has one of its own, the directory for temporary files. */
  readonly files: readonly string[];
  /** One line per process that belongs to the operator but is not itself: its number and its arguments. */
  readonly processes: readonly string[];
}

/** What the operator's process said and showed. */
export interface OperatorTraces {
  readonly log: readonly string[];
  /** Arguments of the operator and of the processes that it started, sampled while it ran. */
  readonly argv: readonly string[];
  /** One line per operator that ended by itself: with which code, and its last words. */
  readonly ends: readonly string[];
  /** When operators were started and had their watches up, in milliseconds since 1970. */
  readonly starts: readonly number[];
  /** When operators ended, in milliseconds since 1970. */
  readonly stops: readonly number[];
  /** When one was started that is another release than the one before it, in milliseconds since 1970. */
  readonly releases: readonly number[];
}

/** A part is undefined where it was not observed: invariants that need it are not judged. */
export interface Snapshot {
  readonly databases: readonly DatabaseView[];
  /** UIDs of the companions there are. */
  readonly companions: readonly string[];
  readonly objects: readonly ObjectView[];
  readonly states: readonly StateView[];
  /** Stacks that have a Secret `credentials.<stack>`. */
  readonly credentials: readonly string[];
  /** The same of `certificates.<stack>`. */
  readonly certificates: readonly string[];
  readonly events: readonly EventView[];
  /** Passwords and keys that must be nowhere but in Secrets. */
  readonly canaries: readonly string[];
  /** Whether the cluster knows ServiceMonitors. */
  readonly serviceMonitors: boolean;
  readonly watched: readonly WatchedDatabase[] | undefined;
  readonly writes: readonly AuditedWrite[] | undefined;
  readonly operatorUser: string;
  readonly operator: OperatorTraces | undefined;
  readonly leftovers: Leftovers | undefined;
}

/** Something that must hold whatever happened. */
export interface Invariant {
  /** One word. */
  readonly name: string;
  /** What holds, as a sentence. */
  readonly promise: string;
  /** What is wrong, one line each; undefined where the snapshot lacks what it takes to judge. */
  readonly judge: (snapshot: Snapshot) => readonly string[] | undefined;
}

export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): Key =>
  `${namespace}/${name}`;

/** The Kubernetes namespace of the operator. */
export const operatorNamespace = "database-operator-system";
