// The result of one reconcile: a closed union, with one constructor per kind.
import type { PendingChange } from "../api/pending-change";
import type { FailureReason, PendingReason, ProgressReason, StalledReason } from "../api/reasons";

export type Outcome =
  /** The children are as declared; how they fare is in the observation. */
  | { readonly kind: "settled" }
  /** Something outside must happen first; looked at again after `afterMs` or when a watch reports it. */
  | { readonly kind: "waiting"; readonly reason: ProgressReason; readonly message: string; readonly afterMs: number }
  | Stalled
  /** An attempt failed; it is repeated with growing delays. */
  | { readonly kind: "failed"; readonly reason: FailureReason; readonly message: string }
  /** A run is necessary, and this turn only looks: it comes with the next worker that is free. */
  | { readonly kind: "due" }
  /** There is no such Database (any more); with a message where the log should say how it went. */
  | { readonly kind: "gone"; readonly message?: string };

/** A person must act: what was asked for is not tried until the spec or an input changes. */
export interface Stalled {
  readonly kind: "stalled";
  readonly reason: StalledReason;
  readonly message: string;
  /** What became of keeping what was accepted last, where that is not settled. */
  readonly meanwhile?: Outcome;
  /** What was accepted last is kept up, and that is settled. Missing: it is not, or nothing is kept up. */
  readonly isKept?: true;
  /** Of a change that waits. */
  readonly pending?: Waits;
}

/** What is said of a change that waits, and when to look again. */
export interface Waits {
  readonly reason: Exclude<PendingReason, "NoChangePending">;
  /** Missing where it cannot be told. */
  readonly shown?: PendingChange;
  /** In milliseconds; the watch reports edits and approvals earlier. */
  readonly afterMs: number;
}

/**
 * Whether what waits is the platform's alone, such as a release of the operator: all that the Database itself asks for is carried out, or on its
 * way.
 */
export const isPlatformsAlone = ({ pending: waits, isKept, meanwhile }: Stalled): boolean =>
  waits?.shown?.requestedBy?.length === 0 && (isKept === true || meanwhile?.kind === "waiting");

export const settled = (): Outcome => ({ kind: "settled" });
export const due = (): Outcome => ({ kind: "due" });
export const gone = (message?: string): Outcome => ({ kind: "gone", ...(message !== undefined && { message }) });
export const waiting = (reason: ProgressReason, message: string, afterMs: number): Outcome => ({
  kind: "waiting",
  reason,
  message,
  afterMs,
});
export const stalled = (reason: StalledReason, message: string): Stalled => ({ kind: "stalled", reason, message });
export const pending = (message: string, waits: Waits): Stalled => ({
  ...stalled("ChangePending", message),
  pending: waits,
});
export const failed = (reason: FailureReason, message: string): Outcome => ({ kind: "failed", reason, message });
