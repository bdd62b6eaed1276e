// What the operator sees of a Database's children: small records, parsed from the API server's objects.
import { z } from "zod";
import { archiveAnnotation, archiveStates } from "../../contract/archive-note";
import { failedState, memberStateAnnotation, undecidedState } from "../../components/member";
import { backupAnnotation, labelKeys } from "../../components/naming";
import type { JobRun, Member, Workload } from "../domain/members";
import { shortened } from "../domain/shortened";
import { parseJson } from "../objects/json";
import { certificateOf } from "./certificate-note";
import { leftoverText } from "./holders";
import { keptFilesOf } from "./kept-files-note";
import { endsOf } from "./member-ends";
import { volumeOf } from "./volume-note";
import {
  endOf,
  hasEnded,
  importedOf,
  reportOf,
  Terminated,
  verificationOf,
  type Attempt,
  type SeenJob,
} from "./job-attempts";

const Labels = z.record(z.string(), z.string()).default({});
const Meta = z.object({
  uid: z.string().default(""),
  name: z.string(),
  namespace: z.string(),
  labels: Labels,
  annotations: z.record(z.string(), z.string()).default({}),
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).default([]),
  generation: z.number().default(0),
});
const PodCondition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
  lastTransitionTime: z.string().nullish(),
});
const ContainerState = z.object({
  waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional(),
  terminated: Terminated.optional(),
});
const ContainerStatus = z.object({
  name: z.string(),
  state: ContainerState.default({}),
  lastState: ContainerState.default({}),
  restartCount: z.number().default(0),
});
const Pod = z.object({
  metadata: Meta,
  status: z
    .object({
      conditions: z.array(PodCondition).default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
      reason: z.string().default(""),
      message: z.string().default(""),
    })
    .prefault({}),
});
const StatefulSet = z.object({
  metadata: Meta,
  spec: z.object({ replicas: z.number().default(1) }),
  status: z
    .object({
      observedGeneration: z.number().default(0),
      updateRevision: z.string().default(""),
    })
    .prefault({}),
});
const JobCondition = z.object({
  type: z.string(),
  status: z.string(),
  lastTransitionTime: z.string().default(""),
  reason: z.string().default(""),
  message: z.string().default(""),
});
const Job = z.object({
  metadata: Meta,
  status: z.object({ conditions: z.array(JobCondition).default([]) }).prefault({}),
});

/** What members are, as the component label of children says it. */
const memberComponent = "database";

/** Waiting states that pass by themselves. */
const ordinaryWaits = new Set(["", "ContainerCreating", "PodInitializing"]);

/** A pod of a Database: a member's, or a Job's. */
export interface SeenPod {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  /** undefined for a Job's pod. */
  readonly member: Member | undefined;
  /** undefined for a pod that is no Job's. */
  readonly attempt: Attempt | undefined;
  /** As `Pod name (held by …)`; undefined unless it is being deleted. */
  readonly going: string | undefined;
}

/** Reads a pod; undefined for a pod of no Database. */
export function podOf(object: unknown): SeenPod | undefined {
  const pod = Pod.parse(object);
  const { name, namespace, labels, deletionTimestamp } = pod.metadata;
  const database = labels[labelKeys.database];
  if (database === undefined) return undefined;
  const place = { name, database, namespace };
  const isMember = labels[labelKeys.component] === memberComponent;
  const member = isMember ? { ...place, ...memberOf(pod) } : undefined;
  const going = deletionTimestamp === undefined ? undefined : leftoverText("Pod", pod.metadata);
  return { ...place, member, attempt: isMember ? undefined : attemptOf(pod), going };
}

/** Kubernetes' own name for the Job that a pod is of. */
const jobLabel = "batch.kubernetes.io/controller-uid";

function attemptOf({ metadata, status }: z.infer<typeof Pod>): Attempt | undefined {
  const job = metadata.labels[jobLabel];
  if (job === undefined) return undefined;
  const { name: pod, creationTimestamp: createdAt } = metadata;
  const { reason, message, containerStatuses } = status;
  // such as Evicted: why the pod failed, whatever its container reported
  const ofPod = reason === "" ? undefined : `${reason}: ${message}`;
  const trouble = ofPod ?? endOf(containerStatuses) ?? podProblem(status);
  const report = reportOf(containerStatuses);
  const verification = verificationOf(containerStatuses);
  const imported = importedOf(containerStatuses);
  const told = {
    ...{ job, pod, createdAt, trouble, report },
    ...(verification !== undefined && { verification }),
    ...(imported !== undefined && { imported }),
  };
  return { ...told, isSilent: report === undefined && hasEnded(containerStatuses) };
}

function memberOf({ metadata, status }: z.infer<typeof Pod>): Omit<Member, "name" | "database" | "namespace"> {
  const role = metadata.labels[labelKeys.role];
  const ready = status.conditions.some(({ type, status }) => type === "Ready" && status === "True");
  const failure = ready ? undefined : (containerFailure(status) ?? serverFailure(metadata.annotations));
  return {
    uid: metadata.uid,
    revision: metadata.labels[revisionLabel] ?? "",
    ready,
    role: role === "primary" || role === "replica" ? role : undefined,
    streaming: ready && isStreaming(metadata),
    problem: podProblem(status),
    ...saidOf(failure),
    ...undecidedOf(metadata.annotations),
    ...archiveOf(metadata.annotations),
    ...volumeOf(metadata.annotations),
    ...keptFilesOf(metadata.annotations),
    ...certificateOf(metadata.annotations),
    served: ready || hasBeenReady(status),
    terminating: metadata.deletionTimestamp !== undefined,
    ...endsOf({ metadata, status }),
  };
}

const saidOf = (failure: Failure | undefined): Pick<Member, "failure" | "complaint"> => ({
  failure: failure?.text,
  ...(failure?.complaint !== undefined && { complaint: failure.complaint }),
});

const Archive = z.object({
  state: z.enum(archiveStates),
  message: z.string().max(1000).optional(),
  gap: z.object({ segment: z.string().max(64), at: z.iso.datetime() }).optional(),
  recoverableFrom: z.iso.datetime().optional(),
});

function archiveOf(annotations: Readonly<Record<string, string>>): Pick<Member, "archive"> {
  const { data } = Archive.safeParse(parseJson(annotations[archiveAnnotation] ?? ""));
  if (data === undefined) return {};
  const { state, message, gap, recoverableFrom } = data;
  const told = { ...(message !== undefined && { message }), ...(recoverableFrom !== undefined && { recoverableFrom }) };
  return { archive: { state, ...told, ...(gap !== undefined && { gap }) } };
}

/** Kubernetes' own name for the revision that a StatefulSet's pod was created from. */
const revisionLabel = "controller-revision-hash";

/** Waits of a container that end only when a person changes something, or never. */
export const hopelessWaits: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/** Between two attempts of a container that keeps exiting it runs for a moment: one restart may have been chance. */
const chanceRestarts = 1;

/** Why a member does not start, and what its server said of that. */
interface Failure {
  readonly text: string;
  readonly complaint?: string;
}

function containerFailure({ containerStatuses }: z.infer<typeof Pod>["status"]): Failure | undefined {
  for (const { name, state, lastState, restartCount } of containerStatuses) {
    const said = lastState.terminated?.message ?? "";
    if (state.waiting !== undefined && hopelessWaits.has(state.waiting.reason))
      return failureOf(`container ${name}: ${state.waiting.reason}`, said);
    if (restartCount > chanceRestarts) return failureOf(`container ${name} keeps exiting`, said);
  }
  return undefined;
}

const MemberState = z.object({
  state: z.string().default(""),
  message: z.string().default(""),
  replication_state: z.string().optional(),
});
type MemberState = z.infer<typeof MemberState>;

/** What the agent says; undefined where it says nothing, or something that is none of ours. */
const memberStateIn = (annotations: Readonly<Record<string, string>>): MemberState | undefined =>
  MemberState.safeParse(parseJson(annotations[memberStateAnnotation] ?? "")).data;

/** Longer ones would leave no room for what to do about it, in bytes of UTF-16. */
const longestComplaint = 400;

function failureOf(text: string, said: string): Failure {
  const line = (said.trim().split("\n").at(-1) ?? "").trim();
  if (line === "") return { text };
  const complaint = shortened(line, longestComplaint);
  return { text: `${text}: ${complaint}`, complaint };
}

function serverFailure(annotations: Readonly<Record<string, string>>): Failure | undefined {
  const said = memberStateIn(annotations);
  return said !== undefined && failedState.test(said.state)
    ? failureOf(`the server says "${said.state}"`, said.message)
    : undefined;
}

function undecidedOf(annotations: Readonly<Record<string, string>>): Pick<Member, "undecided"> {
  const said = memberStateIn(annotations);
  return said?.state === undecidedState ? { undecided: shortened(said.message, longestComplaint) } : {};
}

/**
 * Patroni leaves the word out where a replica does not stream, and has it ready as long as its server answers. The other agents say it
 * where a member that is ready does not.
 */
function isStreaming({ annotations, labels }: z.infer<typeof Meta>): boolean {
  const said = memberStateIn(annotations);
  if (said === undefined) return true;
  if (said.replication_state !== undefined) return said.replication_state === "streaming";
  return labels[labelKeys.engine] !== "postgresql";
}

/** Of a pod that was never ready, the condition is as old as the pod's start; each later change moves its time. */
function hasBeenReady({ conditions }: z.infer<typeof Pod>["status"]): boolean {
  const since = (wanted: string): number =>
    Date.parse(conditions.find(({ type }) => type === wanted)?.lastTransitionTime ?? "");
  return since("Ready") > since("Initialized");
}

/**
 * The pod as it is now, with the failure that was seen of the same pod before: a start that fails is tried again and again,
 * and between two attempts it looks as if all were well.
 */
export function remembering(now: SeenPod | undefined, before: SeenPod | undefined): SeenPod | undefined {
  const [member, former] = [now?.member, before?.member];
  if (now === undefined || member === undefined || former === undefined || member.uid !== former.uid) return now;
  return { ...now, member: withFailureOf(former, member) };
}

function withFailureOf({ failure, complaint }: Member, member: Member): Member {
  if (member.ready || failure === undefined || member.complaint !== undefined) return member;
  return { ...member, failure, ...(complaint !== undefined && { complaint }) };
}

function podProblem(status: z.infer<typeof Pod>["status"]): string | undefined {
  const unschedulable = status.conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unschedulable) return `${unschedulable.reason}: ${unschedulable.message}`;
  for (const { name, state } of status.containerStatuses) {
    const waiting = state.waiting;
    if (waiting && !ordinaryWaits.has(waiting.reason))
      return `container ${name}: ${waiting.reason}: ${waiting.message}`;
  }
  return undefined;
}

/** Reads a StatefulSet. */
export function workloadOf(object: unknown): Workload {
  const { metadata, spec, status } = StatefulSet.parse(object);
  return {
    uid: metadata.uid,
    generation: metadata.generation,
    wanted: spec.replicas,
    seen: status.observedGeneration >= metadata.generation,
    revision: status.updateRevision,
  };
}

/** How a Job fares. */
export function jobStateOf(object: unknown): JobRun["state"] {
  const { succeeded, failed } = finishOf(Job.parse(object));
  return succeeded !== undefined ? "succeeded" : failed !== undefined ? "failed" : "running";
}

/** When a Job succeeded or failed for good. */
function finishOf({ status }: z.infer<typeof Job>): Partial<Record<"succeeded" | "failed", FinalCondition>> {
  const finished = (type: string): FinalCondition | undefined =>
    status.conditions.find((condition) => condition.type === type && condition.status === "True");
  return { succeeded: finished("Complete"), failed: finished("Failed") };
}

type FinalCondition = z.infer<typeof JobCondition>;

/** By which kubectl marks a Job that a person makes from a CronJob. */
export const manualAnnotation = "cronjob.kubernetes.io/instantiate";

/** Reads a Job; undefined for a Job of no Database. */
export function jobOf(object: unknown): SeenJob | undefined {
  const job = Job.parse(object);
  const { metadata } = job;
  const database = metadata.labels[labelKeys.database];
  if (database === undefined) return undefined;
  const { succeeded, failed } = finishOf(job);
  const requestedBy = metadata.annotations[backupAnnotation];
  return {
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    database,
    component: metadata.labels[labelKeys.component] ?? "",
    state: jobStateOf(object),
    finishedAt: (succeeded ?? failed)?.lastTransitionTime,
    createdAt: metadata.creationTimestamp,
    verdict: failed,
    engine: metadata.labels[labelKeys.engine] ?? "",
    isManual: metadata.annotations[manualAnnotation] === "manual",
    ...(requestedBy !== undefined && { requestedBy }),
  };
}
