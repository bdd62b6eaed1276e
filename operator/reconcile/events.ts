// Which events a change of status is worth: one for each condition that took another turn, none at rest.
import { reasonsOf, type Reason } from "../api/reasons";
import type { Condition, ConditionType, DatabaseStatus } from "../api/status";
import type { DatabaseEvent } from "../ports";

/** Events for the step from `before` to `after`. */
export function eventsFor(before: DatabaseStatus, after: DatabaseStatus): DatabaseEvent[] {
  return (after.conditions ?? []).flatMap((condition) => eventFor(find(before, condition.type), condition));
}

function find(status: DatabaseStatus, type: ConditionType): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

function eventFor(before: Condition | undefined, after: Condition): DatabaseEvent[] {
  if (before?.status === after.status && before.reason === after.reason) return [];
  const type = typeOf(before, after);
  return type === undefined ? [] : [{ type, reason: after.reason, message: after.message }];
}

/** How loud the turn is; undefined when nobody needs to hear of it. */
function typeOf(before: Condition | undefined, after: Condition): DatabaseEvent["type"] | undefined {
  if (after.type === "Ready") return readyEvent(before, after);
  if (after.type === "BackupReady") return backupEvents.get(after.reason);
  if (after.reason === "Paused") return "Normal";
  return warnings[after.type].has(after.reason) ? "Warning" : undefined;
}

function readyEvent(before: Condition | undefined, { status, reason }: Condition): DatabaseEvent["type"] | undefined {
  if (status === "True") return "Normal";
  return before?.status === "True" && reason !== "Deleting" ? "Warning" : undefined;
}

const backupEvents: ReadonlyMap<Reason, DatabaseEvent["type"]> = new Map([
  ["BackupFailed", "Warning"],
  ["BackupSucceeded", "Normal"],
]);

/** The reasons that are worth a warning, by condition. */
const warnings: Readonly<Record<"Reconciling" | "Stalled" | "MonitoringReady", ReadonlySet<Reason>>> = {
  Reconciling: reasonsOf("failure"),
  Stalled: reasonsOf("stalled"),
  MonitoringReady: new Set<Reason>(["ServiceMonitorCRDMissing"]),
};
