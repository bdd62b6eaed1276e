// What the operator sees of a Database's children: small records, parsed from the API server's objects.
import { z } from "zod";

/** One member's pod. */
export interface Member {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly ready: boolean;
  /** The role that the member reports about itself; undefined while it has none. */
  readonly role: "primary" | "replica" | undefined;
  /** Why the pod cannot run, in the kubelet's or scheduler's words; undefined while nothing is wrong. */
  readonly problem: string | undefined;
  /** Whether the pod is being deleted. */
  readonly terminating: boolean;
}

/** The StatefulSet's own account of itself. */
export interface Workload {
  /** Members that it wants. */
  readonly wanted: number;
  /** Pods that exist. */
  readonly replicas: number;
  /** Whether every pod runs the present template and the controller has seen the present spec. */
  readonly settled: boolean;
}

/** A Job of a Database. */
export interface JobRun {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly component: string;
  readonly state: "running" | "succeeded" | "failed";
  /** RFC 3339; undefined while it runs. */
  readonly finishedAt: string | undefined;
  readonly createdAt: string;
}

const Labels = z.record(z.string(), z.string()).default({});
const Meta = z.object({
  name: z.string(),
  namespace: z.string(),
  labels: Labels,
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
  generation: z.number().default(0),
});
const PodCondition = z.object({ type: z.string(), status: z.string(), reason: z.string().default(""), message: z.string().default("") });
const Waiting = z.object({ waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional() });
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
      replicas: z.number().default(0),
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

/** Reads a member's pod; undefined for a pod that is no member. */
export function memberOf(object: unknown, labels: OwnershipLabels, memberComponent: string): Member | undefined {
  const { metadata, status } = Pod.parse(object);
  const database = metadata.labels[labels.database];
  if (database === undefined || metadata.labels[labels.component] !== memberComponent) return undefined;
  const role = metadata.labels[labels.role];
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    database,
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
    if (waiting && !ordinaryWaits.has(waiting.reason)) return `container ${name}: ${waiting.reason}: ${waiting.message}`;
  }
  return undefined;
}

/** Reads a StatefulSet. */
export function workloadOf(object: unknown): Workload {
  const { metadata, spec, status } = StatefulSet.parse(object);
  const seen = status.observedGeneration >= metadata.generation;
  const current = status.currentRevision === status.updateRevision || status.updatedReplicas >= spec.replicas;
  return { wanted: spec.replicas, replicas: status.replicas, settled: seen && current };
}

/** Reads a Job; undefined for a Job of nobody's. */
export function jobOf(object: unknown, labels: OwnershipLabels): JobRun | undefined {
  const { metadata, status } = Job.parse(object);
  const database = metadata.labels[labels.database];
  if (database === undefined) return undefined;
  const finished = (type: string): string | undefined =>
    status.conditions.find((condition) => condition.type === type && condition.status === "True")?.lastTransitionTime;
  const succeeded = finished("Complete");
  const failed = finished("Failed");
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    database,
    component: metadata.labels[labels.component] ?? "",
    state: succeeded !== undefined ? "succeeded" : failed !== undefined ? "failed" : "running",
    finishedAt: succeeded ?? failed,
    createdAt: metadata.creationTimestamp,
  };
}
