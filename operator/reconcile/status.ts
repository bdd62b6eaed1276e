// The whole status of a Database from what is known now: pure; the previous status gives transition times only.
import type { Database } from "../api/object";
import { revisionName } from "../api/revisions/object";
import type { Condition, DatabaseStatus, Phase } from "../api/status";
import { ports } from "../../components/member";
import { credentialsSecretName, hostOf, memberSelector } from "../../components/naming";
import { archiving } from "./archive";
import { keepsChanges } from "../api/point-in-time";
import { hasDrills } from "../api/verification";
import { drillsRefusal } from "./drills";
import {
  backups,
  changePending,
  conditionOf,
  initialization,
  isCurrent,
  isHopeless,
  isServing,
  lastSuccessfulBackup,
  monitoring,
  progress,
  readiness,
  readinessInRollout,
  replication,
  stalling,
  streamingReplicas,
  type Said,
  type Verdict,
} from "./conditions";
import { storageReadiness } from "./storage-ready";
import { lastVerified, unverifiable, verification } from "./verified";
import { sizeOf } from "./storage";
import type { Revision, StackRecord } from "../domain/records";
import { initializedFromOf, restoredFromOf } from "./restored-from";
import { archiveNoteOf, type JobRun, type Observation } from "../domain/members";
import { shortened } from "../domain/shortened";
import { recordNameOf } from "../domain/backups";
import { isPlatformsAlone, waiting, type Outcome } from "../domain/outcome";
import { isDown } from "../domain/upgrade";
import { phaseText } from "./upgrade-texts";
import { tlsStatus } from "./tls";
import { isFormerGone } from "./upgrade-way-back";

export interface StatusInputs {
  readonly name: string;
  readonly namespace: string;
  readonly generation: number;
  /** Missing while it has not been deleted. */
  readonly deletionTimestamp?: string;
  /** undefined while the spec does not parse. */
  readonly spec: Database["spec"] | undefined;
  readonly outcome: Outcome;
  readonly observation: Observation;
  readonly record: StackRecord | undefined;
  readonly serviceMonitors: boolean;
  /** Why the data volumes cannot grow; missing where they can, or it does not matter. */
  readonly growthRefusal?: string | undefined;
  readonly previous: DatabaseStatus;
  readonly now: Date;
}

/** See the header. */
export function statusFor(known: StatusInputs): DatabaseStatus {
  const inputs = { ...known, outcome: outcomeOf(known) };
  const { outcome, observation, record, previous, generation, now } = inputs;
  const context = { previous: previous.conditions ?? [], generation, now };
  const initialized = initialization(
    observation,
    context.previous.find(({ type }) => type === "Initialized"),
  );
  const ready =
    deleting(inputs) ??
    restoring(outcome) ??
    upgrading(record, outcome) ??
    (isRestarting(outcome) ? readinessInRollout(observation, initialized) : undefined) ??
    readiness(observation, initialized, { workload: record?.workload, isThrough: outcome.kind === "settled" });
  const conditions = [
    conditionOf("Ready", ready, { ...context, generation: carriedOut(inputs) }),
    conditionOf("Initialized", initialized, context),
    conditionOf("Reconciling", progress(outcome, ready), context),
    conditionOf("Stalled", stalling(outcome, ready), context),
    ...pendingConditions(inputs, context),
    ...featureConditions(inputs),
  ];
  return {
    ready: ready.status === "True",
    phase: phaseOf(outcome, observation, ready),
    observedGeneration: generation,
    ...membership(inputs),
    ...connection(inputs),
    conditions,
    ...pendingChange(outcome),
    ...storage(inputs),
    ...tls(inputs),
    ...upgrade(inputs),
    ...history(inputs),
  };
}

function pendingConditions(
  { outcome, previous }: StatusInputs,
  context: Parameters<typeof conditionOf>[2],
): Condition[] {
  const before = previous.conditions?.find(({ type }) => type === "ChangePending");
  const said = changePending(outcome, before);
  return said === undefined ? [] : [conditionOf("ChangePending", said, context)];
}

const pendingChange = (outcome: Outcome): Pick<DatabaseStatus, "pendingChange"> =>
  outcome.kind === "stalled" && outcome.pending?.shown !== undefined ? { pendingChange: outcome.pending.shown } : {};

function isRestarting(outcome: Outcome): boolean {
  if (outcome.kind === "stalled" && outcome.meanwhile !== undefined) return isRestarting(outcome.meanwhile);
  return outcome.kind === "waiting" && outcome.reason === "Restarting";
}

/**
 * Once the last member has the present template there is no further step; but the rollout is not over before that member is
 * back, unless something else keeps it away.
 */
function outcomeOf({ outcome, observation, previous }: StatusInputs): Outcome {
  const before = previous.conditions?.find(({ type }) => type === "Reconciling");
  const wasRestarting = before?.status === "True" && before.reason === "Restarting";
  const goesOn = outcome.kind === "settled" && wasRestarting && isComingBack(observation);
  return goesOn ? waiting("Restarting", before.message, 0) : outcome;
}

function isComingBack({ workload, members }: Observation): boolean {
  if (workload === undefined) return false;
  if (members.some(({ problem, failure }) => problem !== undefined || failure !== undefined)) return false;
  const hasPrimary = members.some(({ role }) => role === "primary");
  return members.length !== workload.wanted || !members.every(isServing) || !hasPrimary;
}

/**
 * The generation that Ready speaks of: the last that was applied. Who waits for Ready after a change must not be shown
 * the state before it. A pause is applied by leaving everything as it is.
 */
function carriedOut({ outcome, generation, previous, deletionTimestamp }: StatusInputs): number {
  if (isCarriedOut(outcome) || deletionTimestamp !== undefined || isPause(outcome)) return generation;
  return previous.conditions?.find(({ type }) => type === "Ready")?.observedGeneration ?? generation;
}

const isCarriedOut = (outcome: Outcome): boolean =>
  outcome.kind === "settled" ||
  (outcome.kind === "stalled" && outcome.meanwhile === undefined && isPlatformsAlone(outcome));

function deleting({ deletionTimestamp }: StatusInputs): Verdict | undefined {
  if (deletionTimestamp === undefined) return undefined;
  return { status: "False", reason: "Deleting", message: "the Database is being deleted" };
}

/** Until the data are there, members are not wanted. */
const restoring = (outcome: Outcome): Verdict | undefined =>
  outcome.kind === "waiting" && (outcome.reason === "Restoring" || outcome.reason === "Importing")
    ? { status: "False", reason: outcome.reason, message: outcome.message }
    : undefined;

/** While its files are exchanged, members are not wanted. */
function upgrading(record: StackRecord | undefined, outcome: Outcome): Verdict | undefined {
  if (!isDown(record?.upgrade)) return undefined;
  const isSaid = outcome.kind === "waiting" && outcome.reason === "Upgrading";
  return { status: "False", reason: "Upgrading", message: isSaid ? outcome.message : phaseText(record.upgrade) };
}

function upgrade({ record, observation }: StatusInputs): Pick<DatabaseStatus, "upgrade"> {
  if (record?.upgrade === undefined) return {};
  const { from, to, phase, announcedSeconds: announced, downtimeSeconds } = record.upgrade;
  const isGone = phase === "AwaitingConfirmation" && isFormerGone(observation.members, record.upgrade);
  return {
    upgrade: {
      ...{ from, to, phase },
      ...(announced !== undefined && { announcedSeconds: Math.ceil(announced) }),
      ...(downtimeSeconds !== undefined && { downtimeSeconds }),
      ...(isGone && { wayBack: "Gone" as const }),
    },
  };
}

/** By what a Database is judged: what was refused, or comes after a pause, changes nothing of it. */
const inForce = ({ spec, outcome, record }: StatusInputs): Database["spec"] | undefined =>
  outcome.kind === "stalled" ? (record?.accepted?.spec ?? spec) : spec;

function featureConditions(inputs: StatusInputs): Condition[] {
  const { observation, outcome, serviceMonitors, previous, generation, now } = inputs;
  const spec = inForce(inputs);
  const context = { previous: previous.conditions ?? [], generation, now };
  const former = (...types: string[]): Condition[] => context.previous.filter(({ type }) => types.includes(type));
  // nothing new is known; what was said last does not go away
  if (spec === undefined || observation.workload === undefined || observation.workload.wanted === 0)
    return former(
      "BackupReady",
      "BackupVerified",
      "ArchiveReady",
      "ReplicationReady",
      "StorageReady",
      "MonitoringReady",
    );
  const [backedUp] = former("BackupReady");
  const before = former("MonitoringReady");
  // what the last run created is known only when nothing is in progress
  const monitored =
    outcome.kind === "settled" ? [conditionOf("MonitoringReady", monitoring(spec, serviceMonitors), context)] : before;
  // members that go one after the other are no news
  const replicated =
    inputs.deletionTimestamp === undefined
      ? [conditionOf("ReplicationReady", replication(observation.workload, observation.members), context)]
      : former("ReplicationReady");
  const archive = archiving(spec, { ...observation, now }, former("ArchiveReady")[0]);
  const archived = archive === undefined ? [] : [conditionOf("ArchiveReady", archive, context)];
  const backup = conditionOf("BackupReady", backups(spec, observation, backedUp), context);
  const verified = verifiedConditions(inputs, spec);
  const stored = storageReadiness(
    {
      ...{ spec, grown: inputs.record?.grown, members: observation.members, now },
      ...{ refusal: inputs.growthRefusal, wanted: observation.workload.wanted },
    },
    former("StorageReady")[0],
  );
  const full = stored === undefined ? [] : [conditionOf("StorageReady", saidIn(stored), context)];
  return [backup, ...verified, ...archived, ...replicated, ...full, ...monitored];
}

function verifiedConditions(inputs: StatusInputs, spec: Database["spec"]): Condition[] {
  const { outcome, observation, record, previous, generation, now } = inputs;
  const context = { previous: previous.conditions ?? [], generation, now };
  const before = context.previous.find(({ type }) => type === "BackupVerified");
  // why there are none is known of a spec that was accepted
  if (outcome.kind === "stalled" && !hasDrills(spec)) return before === undefined ? [] : [before];
  const refusal = drillsRefusal(spec, record?.accepted?.spec ?? spec);
  const said = refusal === undefined ? verification(spec, observation.jobs, before) : unverifiable(refusal, before);
  return said === undefined ? [] : [conditionOf("BackupVerified", said, context)];
}

/** A former condition, without its bookkeeping. */
const saidIn = ({ status, reason, message }: Said): Said => ({ status, reason, message });

function tls({ record, observation }: StatusInputs): Pick<DatabaseStatus, "tls"> {
  const said = tlsStatus(record?.tls, observation.members);
  return said === undefined ? {} : { tls: said };
}

/** Said only where it is more than the spec asks for. */
function storage({ spec, record }: StatusInputs): Pick<DatabaseStatus, "storage"> {
  const grown = record?.grown;
  if (grown === undefined || (spec !== undefined && sizeOf(spec, grown) === spec.storage)) return {};
  return { storage: { size: grown.size, reason: shortened(grown.reason, longestReason) } };
}

const longestReason = 1024;

function phaseOf(outcome: Outcome, observation: Observation, ready: Verdict): Phase {
  if (ready.reason === "Deleting") return "Deleting";
  if (outcome.kind === "failed" || isStalled(outcome) || isHopeless(outcome, ready)) return "Failed";
  if (isRestarting(outcome) || (outcome.kind === "waiting" && outcome.reason === "Updating")) return "Updating";
  return ready.status === "True" ? "Running" : phaseOfUnready(observation, ready);
}

const isPause = (outcome: Outcome): boolean => outcome.kind === "stalled" && outcome.reason === "Paused";

/** A pause is no failure, nor is a change that waits. */
const isStalled = (outcome: Outcome): boolean =>
  outcome.kind === "stalled" && !isPause(outcome) && outcome.pending === undefined;

/** With a primary it serves: then it runs, or rolls; without one it is not there yet. */
function phaseOfUnready({ workload, members }: Observation, { reason }: Verdict): Phase {
  if (workload === undefined || reason !== "WaitingForMembers") return "Pending";
  return isCurrent(workload, members) ? "Running" : "Updating";
}

function membership({ name, observation }: StatusInputs): Partial<DatabaseStatus> {
  const { members } = observation;
  const labelSelector = Object.entries(memberSelector(name))
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
  const primary = members.find((member) => isServing(member) && member.role === "primary");
  return {
    replicas: members.length,
    readyReplicas: members.filter(isServing).length,
    streamingReplicas: streamingReplicas(observation).length,
    labelSelector,
    ...(primary ? { primary: primary.name } : {}),
  };
}

function connection(inputs: StatusInputs): Partial<DatabaseStatus> {
  const { name, namespace, spec, record, observation } = inputs;
  const engine = record?.declared?.engine ?? spec?.engine;
  if (observation.workload === undefined || engine === undefined) return {};
  return {
    endpoint: `${hostOf(name, namespace)}:${ports[engine].port}`,
    credentialsSecret: credentialsSecretName(name),
    ...(record?.declared ? { version: record.declared.version } : {}),
  };
}

function history(inputs: StatusInputs): Partial<DatabaseStatus> {
  const { record, observation, previous } = inputs;
  const lastBackup = laterOf(previous.lastBackup, lastSuccessfulBackup(observation.jobs));
  const [latest] = record?.history ?? [];
  const lastChange = latest === undefined ? previous.lastChange : changeOf(latest, inputs);
  return {
    ...(lastChange ? { lastChange } : {}),
    ...(lastBackup ? { lastBackup } : {}),
    ...verifiedBackup(inputs, lastBackup),
    ...begunFrom(inputs),
    ...recoverable(inputs),
  };
}

/** It stays known where the record of it is lost. */
function begunFrom({
  record,
  previous,
}: Pick<StatusInputs, "record" | "previous">): Pick<DatabaseStatus, "restoredFrom" | "initializedFrom"> {
  const restoredFrom = restoredFromOf(record?.restored) ?? previous.restoredFrom;
  const initializedFrom = initializedFromOf(record?.restored) ?? previous.initializedFrom;
  return { ...(restoredFrom && { restoredFrom }), ...(initializedFrom && { initializedFrom }) };
}

function verifiedBackup(
  { observation, previous }: StatusInputs,
  lastBackup: DatabaseStatus["lastBackup"],
): Pick<DatabaseStatus, "lastVerifiedBackup"> {
  const lastVerifiedBackup = lastVerified(observation.jobs, { ...previous, ...(lastBackup && { lastBackup }) });
  return lastVerifiedBackup === undefined ? {} : { lastVerifiedBackup };
}

/** What the last backup left; it stays known when its Job has gone. */
function recoverable({ spec, observation, previous }: StatusInputs): Pick<DatabaseStatus, "recoverableFrom"> {
  if (spec !== undefined && !keepsChanges(spec)) return {};
  const since =
    archiveNoteOf(observation.members)?.recoverableFrom ??
    lastSuccessfulBackup(observation.jobs)?.recoverableFrom ??
    previous.recoverableFrom;
  return since === undefined ? {} : { recoverableFrom: since };
}

const changeOf = (
  { revision, summary, at, by, told }: Revision,
  { name, record }: Pick<StatusInputs, "name" | "record">,
): DatabaseStatus["lastChange"] => ({
  ...{ revision, summary, at },
  ...(by !== "" && { by }),
  // one that an earlier operator carried out has none
  ...(told !== undefined && record !== undefined && { name: revisionName(name, record.uid, revision) }),
});

/** A backup stays where it is when its Job is deleted, and an older Job is not the last one then. */
function laterOf(known: DatabaseStatus["lastBackup"], job: JobRun | undefined): DatabaseStatus["lastBackup"] {
  if (job?.finishedAt === undefined) return known;
  if (known !== undefined && Date.parse(known.completedAt) > Date.parse(job.finishedAt)) return known;
  // its pod may have gone before the operator saw it, or after
  const isKnown = known?.job === job.name && known.completedAt === job.finishedAt;
  const label = job.backup ?? (isKnown ? known.label : undefined);
  const { name, finishedAt: completedAt } = job;
  return { name: recordNameOf(job), ...(label !== undefined && { label }), job: name, completedAt };
}
