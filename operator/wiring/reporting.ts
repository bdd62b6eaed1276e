// What the log and the metrics report of watches, runs and reconciles.
import type { Logger } from "pino";
import { isApiError } from "../kube/client";
import type { WorldOptions } from "../kube/world";
import type { Metrics } from "../metrics/metrics";
import type { Key } from "../domain/key";
import type { RestartNote, RunNote } from "../domain/ports";
import type { ControllerHooks } from "../reconcile/controller";
import type { Outcome } from "../domain/outcome";

/** For a list or watch of `kind` that broke. */
export const problemsTo =
  (log: Logger, metrics: Metrics): WorldOptions["onProblem"] =>
  (kind, cause) => {
    metrics.watchRestarted(kind);
    log.warn({ kind, err: cause, hint: hintFor(kind, cause) }, "watch interrupted");
  };

/** For reconciles. */
export const hooksTo = (log: Logger, metrics: Metrics): ControllerHooks => ({
  onError: (key, error) => {
    log.error({ database: key, err: error }, "reconcile failed unexpectedly");
  },
  onOutcome: (key, outcome, seconds) => {
    metrics.reconciled(key, outcome, seconds);
    logOutcome(log, key, outcome, seconds);
  },
});

/** What a person can do about it; undefined where waiting is enough. */
function hintFor(kind: string, cause: unknown): string | undefined {
  const missing = kind === "databases" && isApiError(cause, 404);
  return missing ? "the custom resource is not installed: run `pulumi up` or `make install`" : undefined;
}

/** For Pulumi runs. */
export function logRun(log: Logger, { key, operation, result, seconds, message }: RunNote): void {
  const fields = { database: key, operation, seconds: Math.round(seconds * 1000) / 1000, message };
  if (result === "succeeded") log.info(fields, "stack run succeeded");
  else log.warn({ ...fields, result }, "stack run did not succeed");
}

/** For restarts of members. */
export function logRestart(log: Logger, { key, member, role, message }: RestartNote): void {
  log.info({ database: key, member, role, message }, "member restarted");
}

function logOutcome(log: Logger, key: Key, outcome: Outcome, seconds: number): void {
  const isTold = outcome.kind === "gone" && outcome.message !== undefined;
  const level = outcome.kind === "failed" || outcome.kind === "stalled" || isTold ? "warn" : "debug";
  log[level]({ database: key, ...outcome, outcome: outcome.kind, kind: undefined, seconds }, "reconciled");
}
