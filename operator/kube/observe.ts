// What the operator sees of a Database's children: small records, parsed from the API server's objects.
import { z } from "zod";
import type { JobRun, Member, Workload } from "../ports";

const Labels = z.record(z.string(), z.string()).default({});
const Meta = z.object({
  uid: z.string().default(""),
  name: z.string(),
  namespace: z.string(),
  labels: Labels,
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
  generation: z.number().default(0),
});
const PodCondition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
});
const Waiting = z.object({
  waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional(),
});
const Pod = z.object({
  metadata: Meta,
  status: z
    .object({
      conditions: z.array(PodCondition).default([]),
      containerStatuses: z.array(z.object({ name: z.string(), state: Waiting.default({}) })).default([]),
    })
    .default({ conditions: [], containerStatuses: [] }),
});
const StatefulSet = z.object({
  metadata: Meta,
  spec: z.object({ replicas: z.number().default(1) }),
  status: z
    .object({
      observedGeneration: z.number().default(0),
      updatedReplicas: z.number().default(0),
      currentRevision: z.string().default(""),
      updateRevision: z.string().default(""),
    })
    .prefault({}),
});
const JobCondition = z.object({ type: z.string(), status: z.string(), lastTransitionTime: z.string().default("") });
const Job = z.object({
  metadata: Meta,
  status: z.object({ conditions: z.array(JobCondition).default([]) }).prefault({}),
});

/** Labels that tell which Database an object belongs to, and as what. */
export interface OwnershipLabels {
  readonly database: string;
  readonly component: string;
  readonly role: string;
}

/** Waiting states that pass by themselves. */
const ordinaryWaits = new Set(["", "ContainerCreating", "PodInitializing"]);

/** A pod of a Database: a member's, or a Job's. */
export interface SeenPod {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  /** undefined for a Job's pod. */
  readonly member: Member | undefined;
}

/** Reads a pod; undefined for a pod of nobody's. */
export function podOf(object: unknown, labels: OwnershipLabels, memberComponent: string): SeenPod | undefined {
  const pod = Pod.parse(object);
  const { name, namespace, labels: its } = pod.metadata;
  const database = its[labels.database];
  if (database === undefined) return undefined;
  const place = { name, database, namespace };
  const isMember = its[labels.component] === memberComponent;
  return { ...place, member: isMember ? { ...place, ...memberOf(pod, its[labels.role]) } : undefined };
}

function memberOf(
  { metadata, status }: z.infer<typeof Pod>,
  role: string | undefined,
): Omit<Member, "name" | "database" | "namespace"> {
  return {
    ready: status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    role: role === "primary" || role === "replica" ? role : undefined,
    problem: podProblem(status),
    terminating: metadata.deletionTimestamp !== undefined,
  };
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
  const seen = status.observedGeneration >= metadata.generation;
  const current = status.currentRevision === status.updateRevision || status.updatedReplicas >= spec.replicas;
  return {
    uid: metadata.uid,
    generation: metadata.generation,
    wanted: spec.replicas,
    settled: seen && current,
  };
}

/** How a Job fares. */
export function jobStateOf(object: unknown): JobRun["state"] {
  const { succeeded, failed } = endOf(Job.parse(object));
  return succeeded !== undefined ? "succeeded" : failed !== undefined ? "failed" : "running";
}

/** When a Job succeeded or failed for good. */
function endOf({ status }: z.infer<typeof Job>): { readonly succeeded?: string; readonly failed?: string } {
  const finished = (type: string): string | undefined =>
    status.conditions.find((condition) => condition.type === type && condition.status === "True")?.lastTransitionTime;
  return { succeeded: finished("Complete"), failed: finished("Failed") };
}

/** Reads a Job; undefined for a Job of nobody's. */
export function jobOf(object: unknown, labels: OwnershipLabels): JobRun | undefined {
  const job = Job.parse(object);
  const { metadata } = job;
  const database = metadata.labels[labels.database];
  if (database === undefined) return undefined;
  const { succeeded, failed } = endOf(job);
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    database,
    component: metadata.labels[labels.component] ?? "",
    state: jobStateOf(object),
    finishedAt: succeeded ?? failed,
    createdAt: metadata.creationTimestamp,
  };
}
