// One turn of a Database: what the reconcile is allowed, and what it reports to whom while it runs.
import type { Drift } from "../domain/children";
import type { StackRecord } from "../domain/records";

/** What a run put right beside what it was for. */
export interface Repairs {
  /** What was restored. */
  readonly drift: readonly Drift[];
  /** Whether the state had to be rebuilt. */
  readonly rebuilt: boolean;
  /** Whether the record was of another object of this name, as after a restore of the cluster: that it found other children is no edit. */
  readonly takenOver: boolean;
  /** Whether it did nothing but renew certificates. Missing: it did not. */
  readonly isRenewal?: boolean;
}

/** One turn: hooks for what must be visible while the reconcile runs, and what it may do. */
export interface Turn {
  /** Whether it only looks, and says of a run that it is due. Default: it may run. */
  readonly looksOnly?: boolean;
  /** A run is about to begin. */
  running(reason: "Creating" | "Updating" | "TakingFinalBackup" | "Deleting"): void;
  /** A run was executed. */
  changed(record: StackRecord, also: Repairs): void;
}
