// Which events a change of status is worth: one for each condition that took another turn, none at rest.
import type { Condition, ConditionType, DatabaseStatus } from "../api/status";
import type { DatabaseEvent } from "./ports";

/** Events for the step from `before` to `after`. */
export function eventsFor(before: DatabaseStatus, after: DatabaseStatus): DatabaseEvent[] {
  return (after.conditions ?? []).flatMap((condition) => eventFor(find(before, condition.type), condition));
}

function find(status: DatabaseStatus, type: ConditionType): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

function eventFor(before: Condition | undefined, after: Condition): DatabaseEvent[] {
  if (before?.status === after.status && before.reason === after.reason) return [];
  const { reason, message } = after;
  switch (after.type) {
    case "Ready":
      if (after.status === "True") return [{ type: "Normal", reason, message }];
      return before?.status === "True" ? [{ type: reason === "Deleting" ? "Normal" : "Warning", reason, message }] : [];
    case "Reconciling":
      return failures.has(reason) ? [{ type: "Warning", reason, message }] : [];
    case "Stalled":
      return after.status === "True" || reason === "Paused" ? [{ type: "Warning", reason, message }] : [];
    case "BackupReady":
      return reason === "BackupFailed" ? [{ type: "Warning", reason, message }] : reason === "BackupSucceeded" ? [{ type: "Normal", reason, message }] : [];
    case "MonitoringReady":
      return reason === "ServiceMonitorCRDMissing" ? [{ type: "Warning", reason, message }] : [];
  }
}

const failures: ReadonlySet<string> = new Set([
  "RunFailed",
  "RunTimedOut",
  "StackLocked",
  "DestroyFailed",
  "StateCorrupt",
  "InternalError",
]);
