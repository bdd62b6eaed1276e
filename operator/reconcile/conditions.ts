// Outcome and observation to conditions: pure, and the only place that decides what a condition says.
import type { FailureReason, ProgressReason, Reason } from "../api/reasons";
import type { DatabaseSpec } from "../api/spec";
import type { Condition, ConditionType } from "../api/status";
import { isPlatformsAlone, settled, type Outcome, type Stalled } from "../domain/outcome";
import { archiveNoteOf, type JobRun, type Member, type Observation, type Workload } from "../domain/members";
import type { AppliedWorkload } from "../domain/runner";
import { shortened } from "../domain/shortened";
import { keepsLogs } from "../api/point-in-time";
import { retryAfter, retryText } from "./backup-retries";

/** What a condition says, without its bookkeeping; the reason may be one that only a newer operator knows. */
export type Said = Pick<Condition, "status" | "reason" | "message">;

/** What is said now. */
export interface Verdict extends Said {
  readonly reason: Reason;
}

/** Components, as the label of a child says them. */
const initJob = "initialization";
const backup = "backup";

/** What readiness is judged by beside the pods. */
export interface AppliedChange {
  /** The StatefulSet as the last run left it: an older generation of it in the local copy says nothing about the present. */
  readonly workload: AppliedWorkload | undefined;
  /** Whether the change is said to be through: then no member may run former settings. While it waits, they serve as well. */
  readonly isThrough: boolean;
}

/** Whether the database can be used and is complete, going by the pods. */
export function readiness(observation: Observation, initialized: Verdict, applied: AppliedChange): Verdict {
  const { workload, members } = observation;
  if (workload === undefined) return not("Creating", "the members have not been created yet");
  if (isOlder(workload, applied.workload)) return not("WaitingForMembers", "the change has not been observed yet");
  if (!members.some((member) => isServing(member) && member.role === "primary")) {
    return not("WaitingForPrimary", problemOr(observation, "no ready member is primary"));
  }
  if (initialized.status !== "True") return initialized;
  return incomplete(workload, members, applied) ?? complete(workload, members);
}

const isOlder = ({ uid, generation }: Workload, applied: AppliedWorkload | undefined): boolean =>
  uid === applied?.uid && generation < applied.generation;

/**
 * Whether the application's role and database exist: once the init Job has succeeded they do, whatever becomes of the
 * Job. `before` is the condition as it was.
 */
export function initialization({ jobs }: Observation, before: Condition | undefined): Verdict {
  const job = latest(jobs, initJob);
  if (before?.status === "True" || job?.state === "succeeded")
    return { status: "True", reason: "InitializationSucceeded", message: "the application's role and database exist" };
  if (job?.state === "failed") {
    const message = failureText(job, before, ". Remove the cause, and delete the Job: it is created again");
    return { status: "False", reason: "InitializationFailed", message };
  }
  return not("WaitingForInitialization", `Job ${job?.name ?? "init"} has not finished${troubleText(job)}`);
}

const troubleText = (job: JobRun | undefined): string => (job?.trouble === undefined ? "" : `: ${job.trouble}`);

const endOf = ({ finishedAt, createdAt }: JobRun): string => finishedAt ?? createdAt;

/** Why a Job failed. `before` is the condition as it was: what was said stays known when the Job's pods have gone. */
function failureText(job: JobRun, before: Condition | undefined, advice = ""): string {
  const failure = `Job ${job.name} failed at ${endOf(job)}`;
  if (job.trouble !== undefined) return `${failure}: ${job.trouble}${advice}`;
  return before?.message.startsWith(`${failure}: `) === true ? before.message : `${failure}; its log says why${advice}`;
}

/** Ready, and not on its way out. */
export const isServing = ({ ready, terminating }: Member): boolean => ready && !terminating;

function incomplete(workload: Workload, members: readonly Member[], { isThrough }: AppliedChange): Verdict | undefined {
  const count = countOf(workload, members);
  if (members.filter(isServing).length < workload.wanted)
    return not("WaitingForMembers", problemOr({ members }, count));
  if (members.length > workload.wanted)
    return not("WaitingForMembers", `${count}; an extra member is still terminating`);
  return isThrough && !isCurrent(workload, members)
    ? not("WaitingForMembers", `${count}; some still run the previous settings`)
    : undefined;
}

/** Whether every pod was created from the present template. */
export const isCurrent = ({ seen, revision }: Workload, members: readonly Member[]): boolean =>
  seen && members.every((member) => member.revision === revision);

/**
 * Readiness while members are restarted: the database can be used as long as the primary serves, and one who is away for
 * his restart is no cause for alarm. Undefined where that is not so.
 */
export function readinessInRollout({ workload, members }: Observation, initialized: Verdict): Verdict | undefined {
  if (workload === undefined || initialized.status !== "True") return undefined;
  const serving = members.filter(isServing);
  const isTroubled = members.some(({ problem }) => problem !== undefined);
  if (isTroubled || serving.length < workload.wanted - 1 || !serving.some(({ role }) => role === "primary"))
    return undefined;
  const message = `the primary serves; ${countOf(workload, members)} while members are restarted`;
  return { status: "True", reason: "PrimaryServing", message };
}

const complete = (workload: Workload, members: readonly Member[]): Verdict => ({
  status: "True",
  reason: "AllReplicasReady",
  message: countOf(workload, members),
});

const countOf = ({ wanted }: Workload, members: readonly Member[]): string =>
  `${members.filter(isServing).length} of ${wanted} members ready`;

const not = (reason: ProgressReason, message: string): Verdict => ({ status: "False", reason, message });

/** What keeps a member away, in the server's own words where it has said why. */
function problemOr({ members }: Pick<Observation, "members">, message: string): string {
  const away = members.find(({ complaint }) => complaint !== undefined) ?? members.find(isTroubled);
  const why = away?.complaint === undefined ? (away?.problem ?? away?.failure) : away.failure;
  if (away === undefined || why === undefined) return undecidedOr(members, message);
  return `${message}; pod ${away.name}: ${why}`;
}

/** Where all servers run, and none continues without a person. */
function undecidedOr(members: readonly Member[], message: string): string {
  const found = members.find(({ undecided }) => undecided !== undefined);
  return found?.undecided === undefined ? message : `${message}; pod ${found.name}: ${found.undecided}`;
}

const isTroubled = ({ problem, failure }: Member): boolean => problem !== undefined || failure !== undefined;

/** Whether something is in progress, from the run's outcome and, once that is settled, from the pods. */
export function progress(outcome: Outcome, ready: Verdict): Verdict {
  switch (outcome.kind) {
    case "waiting":
      return { status: "True", reason: outcome.reason, message: outcome.message };
    case "failed":
      return { status: "True", reason: outcome.reason, message: `${outcome.message}; the operator tries again` };
    case "stalled":
      return stalledProgress(outcome, ready);
    case "gone":
    case "due":
      return { status: "False", reason: "Reconciled", message: "nothing is in progress" };
    case "settled":
      if (isHopeless(outcome, ready))
        return { status: "False", reason: "Reconciled", message: "nothing is in progress" };
      return ready.status === "True"
        ? { status: "False", reason: "Reconciled", message: "everything is as the spec says" }
        : { status: "True", reason: ready.reason, message: ready.message };
  }
}

/** Whether all is as declared, and yet the database will not become ready by itself: the init Job has failed for good. */
export const isHopeless = (outcome: Outcome, ready: Verdict): boolean =>
  outcome.kind === "settled" && ready.reason === "InitializationFailed";

/** A run that fails at what was accepted before is worth the same event as any other. */
const meanwhileReason = ({ meanwhile }: Stalled): FailureReason | "Reconciled" =>
  meanwhile?.kind === "failed" ? meanwhile.reason : "Reconciled";

/** Of what was asked for, nothing is in progress. */
function meanwhileText({ meanwhile }: Stalled): string {
  if (meanwhile === undefined || !("message" in meanwhile)) return "nothing is in progress";
  return `nothing is in progress except maintaining what was accepted before: ${meanwhile.message ?? ""}`;
}

function stalledProgress(outcome: Stalled, ready: Verdict): Verdict {
  if (isPlatformsAlone(outcome)) return progress(outcome.meanwhile ?? settled(), ready);
  if (outcome.pending !== undefined) return pendingProgress(outcome);
  return { status: "False", reason: meanwhileReason(outcome), message: meanwhileText(outcome) };
}

/** A change that waits is in progress, be it slowly. */
const pendingProgress = (outcome: Stalled): Verdict =>
  outcome.meanwhile?.kind === "failed"
    ? { status: "True", reason: outcome.meanwhile.reason, message: meanwhileText(outcome) }
    : { status: "True", reason: outcome.reason, message: outcome.message };

/** Whether a change waits. `before` is the condition as it was: missing as long as none ever did. */
export function changePending(outcome: Outcome, before: Condition | undefined): Verdict | undefined {
  if (outcome.kind === "stalled" && outcome.pending !== undefined)
    return { status: "True", reason: outcome.pending.reason, message: outcome.message };
  if (before === undefined) return undefined;
  return { status: "False", reason: "NoChangePending", message: "no change waits" };
}

/** Whether a person must act. A pause is a person's act already. `ready` is what the pods say, where they are known. */
export function stalling(outcome: Outcome, ready?: Verdict): Verdict {
  if (ready !== undefined && isHopeless(outcome, ready)) return { ...ready, status: "True" };
  if (outcome.kind === "stalled" && outcome.pending !== undefined)
    return { status: "False", reason: "NotStalled", message: "nothing needs attention but the change that waits" };
  if (outcome.kind === "stalled" && outcome.reason !== "Paused") {
    return { status: "True", reason: outcome.reason, message: outcome.message };
  }
  if (outcome.kind === "stalled") return { status: "False", reason: outcome.reason, message: outcome.message };
  return { status: "False", reason: "NotStalled", message: "nothing needs attention" };
}

/**
 * Whether there is a backup and the last one succeeded. `before` is the condition as it was: how the last one went stays
 * known when its Job is gone.
 */
export function backups(
  spec: DatabaseSpec,
  { jobs, members }: Pick<Observation, "jobs" | "members">,
  before: Condition | undefined,
): Verdict {
  if (!spec.backup.enabled)
    return { status: "False", reason: "BackupDisabled", message: "spec.backup.enabled is false" };
  const last = latest(
    jobs.filter((job) => job.state !== "running"),
    backup,
  );
  if (last === undefined) {
    if (before?.reason === "BackupSucceeded" || before?.reason === "BackupFailed")
      return { status: before.status, reason: before.reason, message: before.message };
    const trial = latest(jobs, backup);
    const now = trial?.trouble === undefined ? "" : `; Job ${trial.name}${troubleText(trial)}`;
    const message = `scheduled at "${spec.backup.schedule}" (UTC); none taken yet${now}`;
    return { status: "False", reason: "BackupScheduled", message };
  }
  if (last.state === "failed") {
    const failed = failureText(last, saidWithoutRetry(before));
    const next = retryText(retryAfter(last.database, jobs), archiveNoteOf(members), keepsLogs(spec));
    return { status: "False", reason: "BackupFailed", message: `${failed}${next}` };
  }
  return { status: "True", reason: "BackupSucceeded", message: successText(last, before) };
}

/** The words about the next attempt are made each time. */
const saidWithoutRetry = (before: Condition | undefined): Condition | undefined =>
  before && { ...before, message: before.message.replace(/\. It (is|was) tried again .*$/, "") };

/** What a Job produced. `before` is the condition as it was, as with a failure. */
function successText(job: JobRun, before: Condition | undefined): string {
  const success = `Job ${job.name} succeeded at ${endOf(job)}`;
  if (job.backup !== undefined) return `${success}: ${job.backup}`;
  return before?.message.startsWith(`${success}: `) === true ? before.message : success;
}

/** The replicas that apply what the primary writes: none, where no primary serves. */
export function streamingReplicas({ members }: Pick<Observation, "members">): Member[] {
  const serving = members.filter(isServing);
  if (!serving.some(({ role }) => role === "primary")) return [];
  return serving.filter(({ role, streaming }) => role === "replica" && streaming);
}

/** Whether all replicas apply what the primary writes: one that answers may have stopped long ago. */
export function replication(workload: Workload, members: readonly Member[]): Verdict {
  if (workload.wanted < 2)
    return { status: "False", reason: "NoReplicas", message: "there is only one member: nothing is replicated" };
  const serving = members.filter(isServing);
  if (!serving.some(({ role }) => role === "primary"))
    return not("WaitingForPrimary", "no ready member is primary: replicas have nothing to stream from");
  const replicas = serving.filter(({ role }) => role === "replica");
  const streaming = streamingReplicas({ members }).length;
  const count = `${streaming} of ${Math.max(workload.wanted - 1, replicas.length)} replicas stream from the primary`;
  const idle = replicas.filter((member) => !member.streaming).map(({ name }) => name);
  if (idle.length > 0) {
    const message = `${idle.join(", ")} answers but receives nothing of what the primary writes; ${count}`;
    return { status: "False", reason: "ReplicaNotStreaming", message };
  }
  if (streaming < workload.wanted - 1) return not("WaitingForMembers", count);
  return { status: "True", reason: "ReplicasStreaming", message: count };
}

/** Whether Prometheus learns where the metrics are. */
export function monitoring(spec: DatabaseSpec, serviceMonitors: boolean): Verdict {
  if (!spec.monitoring.enabled) {
    return { status: "False", reason: "MonitoringDisabled", message: "spec.monitoring.enabled is false" };
  }
  if (serviceMonitors) {
    return { status: "True", reason: "ServiceMonitorCreated", message: "a ServiceMonitor selects the exporters" };
  }
  const message = "the cluster has no ServiceMonitors; the exporters run, and one is created as soon as it has";
  return { status: "False", reason: "ServiceMonitorCRDMissing", message };
}

/** The Job of a component that was created last. */
export function latest(jobs: readonly JobRun[], component: string): JobRun | undefined {
  return jobs
    .filter((job) => job.component === component)
    .reduce<JobRun | undefined>(
      (last, job) => (last === undefined || job.createdAt >= last.createdAt ? job : last),
      undefined,
    );
}

/** The last backup that succeeded. */
export function lastSuccessfulBackup(jobs: readonly JobRun[]): JobRun | undefined {
  return latest(
    jobs.filter((job) => job.state === "succeeded"),
    backup,
  );
}

const longestMessage = 1024;

/** Gives a verdict its bookkeeping: the transition time moves only when the status does. */
export function conditionOf(
  type: ConditionType,
  verdict: Said,
  context: { readonly previous: readonly Condition[]; readonly generation: number; readonly now: Date },
): Condition {
  const before = context.previous.find((condition) => condition.type === type);
  const lastTransitionTime =
    before?.status === verdict.status ? before.lastTransitionTime : context.now.toISOString().replace(/\.\d+Z$/, "Z");
  const message = shortened(verdict.message, longestMessage);
  return { type, ...verdict, message, lastTransitionTime, observedGeneration: context.generation };
}
