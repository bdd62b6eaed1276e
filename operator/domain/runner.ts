// What the reconcile asks of Pulumi: one run on one stack, answered by a closed union.

/** Everything one run needs. */
export interface RunRequest<Program> {
  /** The stack's name, unique over the cluster. */
  readonly stack: string;
  /** What the stack shall hold. */
  readonly program: Program;
  /** The state that the last run left; undefined for a stack that never ran. */
  readonly checkpoint: Checkpoint | undefined;
  /**
   * Objects that creations may adopt, as `Kind name`, by UID: a run fails at any other one, and leaves it as it is. Undefined: creations
   * adopt what they find, as they do over the CLI.
   */
  readonly existing?: ReadonlyMap<string, string> | undefined;
  /** Reads the cluster before comparing: after an interrupted run, or for repair. */
  readonly refresh?: boolean;
  /** Aborts the run gracefully: Pulumi finishes the request in flight and saves its state. */
  readonly signal?: AbortSignal;
}

/** A stack's state as Pulumi writes it: JSON text, secrets encrypted. */
export type Checkpoint = string;

/** One StatefulSet at one generation of its spec. */
export interface AppliedWorkload {
  readonly uid: string;
  readonly generation: number;
}

/** Resources by what happened to them. */
export interface Changes {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/** Why a run did not succeed. */
export interface Problem {
  /** First error in the run's diagnostics; secrets masked, at most 1 KiB. */
  readonly message: string;
  /** The resource it names, as `Kind name`; undefined where it names none. */
  readonly resource: string | undefined;
}

/** How a run ended. `checkpoint` is the state to keep; undefined where the run left none. */
export type StackResult =
  | {
      readonly kind: "succeeded";
      readonly changes: Changes;
      readonly checkpoint: Checkpoint;
      /** The StatefulSet after the run: what watches show of an older generation of it is outdated. */
      readonly workload: AppliedWorkload | undefined;
    }
  | { readonly kind: "failed"; readonly problem: Problem; readonly checkpoint: Checkpoint | undefined }
  /** The engine met a replacement of the members' StatefulSet, and went no further: what came before it may be there. */
  | { readonly kind: "refused"; readonly problem: Problem; readonly checkpoint: Checkpoint | undefined }
  | { readonly kind: "timedOut"; readonly problem: Problem; readonly checkpoint: Checkpoint | undefined }
  | { readonly kind: "corrupt"; readonly problem: Problem };

/** Executes runs. Never rejects: what goes wrong is a StackResult. One stack is run by one caller at a time. */
export interface StackRunner<Program> {
  /** Creates or changes the stack's resources. */
  up(request: RunRequest<Program>): Promise<StackResult>;
  /** Deletes the stack's resources; needs no valid program. */
  destroy(request: Omit<RunRequest<Program>, "program">): Promise<StackResult>;
}

/** What a preview is asked. */
export interface PreviewRequest<Program> extends Omit<RunRequest<Program>, "program"> {
  /** What the stack would hold; undefined previews the destroy. */
  readonly program: Program | undefined;
}

/** How one field of an object would change. Secrets are masked as `[secret]`. */
export interface FieldChange {
  /** For example `spec.template.spec.containers[postgresql].image`. */
  readonly path: string;
  readonly kind: "add" | "change" | "remove";
  /** undefined where it is added. */
  readonly before: unknown;
  /** undefined where it is removed. */
  readonly after: unknown;
}

/** What would happen to one object of the cluster. */
export interface PlannedStep {
  readonly kind: string;
  readonly name: string;
  readonly operation: "create" | "update" | "delete" | "replace" | "same";
  /** Whether a deletion takes the object out of the state only, and leaves it in the cluster. */
  readonly retained: boolean;
  /** Set where a creation takes over the object that is there. */
  readonly adopts?: true;
  /** Of an update or a replacement. */
  readonly fields: readonly FieldChange[];
}

/** What a run would do, or why that is not known. */
export type PreviewResult =
  | {
      readonly kind: "succeeded";
      /** By kind and name. */
      readonly steps: readonly PlannedStep[];
      /** Replacements that would cost data or stop the database: of StatefulSets, claims and Secrets. */
      readonly harmful: readonly PlannedStep[];
    }
  | { readonly kind: "failed" | "timedOut" | "corrupt"; readonly problem: Problem };

/** Predicts what a run would do, and changes nothing. Never rejects. */
export interface StackPreviewer<Program> {
  preview(request: PreviewRequest<Program>): Promise<PreviewResult>;
}

const irreplaceable: ReadonlySet<string> = new Set(["StatefulSet", "PersistentVolumeClaim", "Secret"]);

/** The replacements among `steps` that would cost data or stop the database. */
export function harmfulIn(steps: readonly PlannedStep[]): readonly PlannedStep[] {
  return steps.filter(({ operation, kind }) => operation === "replace" && irreplaceable.has(kind));
}

/** One line for people, such as "3 created, 1 updated, 9 unchanged". */
export function summaryOf(changes: Changes): string {
  const parts = Object.entries(changes)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`);
  return parts.length === 0 ? "nothing to do" : parts.join(", ");
}
