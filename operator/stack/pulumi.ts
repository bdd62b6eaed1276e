// What executes Pulumi's operations, behind the Automation API: a CLI process for each run, or one that stays.
import type { EngineEvent, LocalWorkspaceOptions, UpOptions } from "@pulumi/pulumi/automation";
import type { ReadableCheckpoint } from "../checkpoint/checkpoint";
import type { Checkpoint } from "../domain/runner";

/** What is started to execute runs: a CLI process for a run, or a resident Pulumi. */
export type PulumiProcess = "cli" | "resident";

/** What one run is about. */
export interface RunPlan {
  readonly stack: string;
  /** The state to begin with; of a new stack, an empty one. */
  readonly checkpoint: ReadableCheckpoint;
  /** Where the program is hosted, as `host:port`. */
  readonly program: string;
  /** Objects that creations may adopt, as `Kind name`, by UID; undefined: what they find. The CLI cannot be kept from any. */
  readonly existing?: ReadonlyMap<string, string> | undefined;
  /** Ends the run: gracefully at first, and by force if that takes too long. */
  readonly signal: AbortSignal;
}

/** A run that is ready to begin. Every call of the Automation API that it is given takes part in the same run. */
export interface Session {
  /** For the Automation API's workspace. */
  readonly workspace: LocalWorkspaceOptions;
  /** Has the engine's events reach `onEvent`; the answer goes to the Automation API with every operation. */
  listen(onEvent: (event: EngineEvent) => void): Pick<UpOptions, "onEvent">;
  /** The state that the run left; undefined where it left none. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** Removes what the run needed. */
  close(): Promise<void>;
}

export interface Pulumi {
  /** Whether a run costs no process of its own, as far as is known: it takes a fraction of a second then, not several. */
  readonly isResident: boolean;
  /** Rejects when no run can begin. */
  open(plan: RunPlan): Promise<Session>;
  /**
   * From that time on nothing that runs here may change the cluster, unless a later time is given before: another operator may
   * lead by then. What is not given a time may always. The CLI cannot be kept from it: its runs end with this process.
   */
  allowWritesUntil(time: Date): void;
  /** Resolves when none of its processes is left. Runs have ended before. */
  close(): Promise<void>;
}

/** A Pulumi operation did not succeed. What it printed may hold secrets: it is not part of the message. */
export class PulumiError extends Error {
  constructor(
    message: string,
    /** Why, in Pulumi's words; for people only after masking. */
    readonly reason: string,
    /** Whether the state cannot be used: not with this key, or not at all. */
    readonly isCorrupt: boolean,
  ) {
    super(message);
    this.name = "PulumiError";
  }
}
