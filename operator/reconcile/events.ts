// Which events a change of status is worth: one for each condition that took another turn, none at rest.
import { isReason, reasonsOf, type Reason } from "../api/reasons";
import type { Condition, ConditionType, DatabaseStatus } from "../api/status";
import type { Repairs } from "./turn";
import { textOf } from "./drift";
import type { StackRecord } from "../domain/records";
import type { Drift } from "../domain/children";
import type { DatabaseEvent } from "../domain/ports";

/** Events for the step from `before` to `after`. */
export function eventsFor(before: DatabaseStatus, after: DatabaseStatus): DatabaseEvent[] {
  const isRestarting = find(after, "Reconciling")?.reason === "Restarting";
  return (after.conditions ?? []).flatMap((condition) =>
    eventFor(find(before, condition.type), condition, isRestarting),
  );
}

/** Events for a run that succeeded: what it did, what it restored, and whether it had to do without a state. */
export function eventsOfChange(
  { history, tls }: Pick<StackRecord, "history" | "tls">,
  { drift, rebuilt, takenOver, isRenewal = false }: Repairs,
): readonly DatabaseEvent[] {
  const revision = isRenewal ? undefined : history[0];
  const events = takenOver ? eventsOfTakeOver(drift) : drift.map(eventOfDrift);
  if (rebuilt) {
    const message = "the stored state was lost or could not be read; it was rebuilt from what exists";
    events.push({ type: "Warning", reason: "StateRebuilt", message });
  }
  if (isRenewal && tls?.issued !== undefined) {
    const message = `certificates were renewed: that of the members is good until ${tls.issued.certificateUntil}`;
    events.push({ type: "Normal", reason: "CertificatesRenewed", message });
  }
  if (revision !== undefined) {
    const reason = revision.revision === 1 ? "Creating" : "Updating";
    events.push({ type: "Normal", reason, message: `revision ${revision.revision}: ${revision.summary}` });
  }
  return events;
}

const eventOfDrift = (found: Drift): DatabaseEvent => ({
  type: "Warning",
  reason: "DriftCorrected",
  message: `${textOf(found)}; ${found.kind === "surplus" ? correctedSurplus : correctedEdit}`,
});

/** All at once: no client changed the children, they were left behind. */
function eventsOfTakeOver(drift: readonly Drift[]): DatabaseEvent[] {
  if (drift.length === 0) return [];
  const children = drift.map(({ child }) => child).join(", ");
  const message = `what was left of a previous object of this name was adopted; recreated or adopted: ${children}`;
  return [{ type: "Normal", reason: "TakenOver", message }];
}

const correctedEdit = "it was restored: change the Database instead";
const correctedSurplus = "it was adopted where the Database asks for it, and removed where it does not";

function find(status: DatabaseStatus, type: ConditionType): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

function eventFor(before: Condition | undefined, after: Condition, isRestarting: boolean): DatabaseEvent[] {
  const { reason, message } = after;
  // one that is not of the list stands there since a newer operator wrote it
  if ((before?.status === after.status && before.reason === reason) || !isReason(reason)) return [];
  const type = after.type === "Ready" ? readyEvent(before, after, isRestarting) : typeOf(after.type, reason);
  return type === undefined ? [] : [{ type, reason, message }];
}

/** How loud the turn is; undefined when no user needs to hear of it. */
function typeOf(type: Exclude<ConditionType, "Ready">, reason: Reason): DatabaseEvent["type"] | undefined {
  if (type === "BackupReady") return backupEvents.get(reason);
  if (ordinary.has(reason)) return "Normal";
  return warnings[type].has(reason) ? "Warning" : undefined;
}

/**
 * What a change of the spec brings about by itself, such as members that are still to come or the primary's restart, is no
 * cause for alarm. That a member is restarted has an event of its own.
 */
function readyEvent(
  before: Condition | undefined,
  after: Condition,
  isRestarting: boolean,
): DatabaseEvent["type"] | undefined {
  const wasReady = before?.status === "True";
  if (after.status === "True") return wasReady && after.reason === "PrimaryServing" ? undefined : "Normal";
  if (!wasReady || after.reason === "Deleting") return undefined;
  return before.observedGeneration === after.observedGeneration && !isRestarting ? "Warning" : "Normal";
}

/** Reported, though nothing is wrong: a pause is a person's wish, and many clusters have no Prometheus operator. */
const ordinary: ReadonlySet<Reason> = new Set<Reason>([
  "Paused",
  "ServiceMonitorCRDMissing",
  "BackupRestored",
  "AwaitingApproval",
  "AwaitingWindow",
]);

const backupEvents: ReadonlyMap<Reason, DatabaseEvent["type"]> = new Map([
  ["BackupFailed", "Warning"],
  ["BackupSucceeded", "Normal"],
]);

/** The reasons that are worth a warning, by condition. */
const warnings: Readonly<Record<Exclude<ConditionType, "Ready" | "BackupReady">, ReadonlySet<Reason>>> = {
  Initialized: new Set(["InitializationFailed"]),
  Reconciling: reasonsOf("failure"),
  Stalled: reasonsOf("stalled"),
  BackupVerified: new Set<Reason>([
    "BackupDamaged",
    "ArchiveDamaged",
    "RestoreNotStarted",
    "DataDamaged",
    "QueryFailed",
    "VerificationNotPossible",
  ]),
  ArchiveReady: new Set(["ArchiveWaiting", "ArchiveGap"]),
  // for some seconds it is so after every failover; an alert reports where it stays so
  ReplicationReady: new Set(),
  StorageReady: new Set<Reason>(["FillingUp", "Full", "MaxSizeReached", "GrowthNotPossible"]),
  MonitoringReady: new Set(),
  ChangePending: new Set<Reason>(["ApprovalVoid", "PreviewFailed"]),
};
