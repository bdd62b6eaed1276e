// What containers are given where nothing is said, each with its reason where it is not obvious.
import { factsOf, type EngineName } from "../contract/engines";
import type { Resources } from "./args";

/**
 * Resources of a member when none are given: a floor that runs a small database. Memory has request = limit, so that
 * a member is never evicted for what it was promised; CPU has no limit, so that recovery is not throttled.
 */
const memberResources = {
  requests: { cpu: "250m", memory: "512Mi" },
  limits: { memory: "512Mi" },
} as const;

/**
 * The same for engines that need more. The messages of MySQL's group alone take 128 MiB under load, and its server more than
 * PostgreSQL's; MongoDB's cache is 256 MiB at least, and connections and sorting need as much again.
 */
const largerMemberResources = {
  requests: { cpu: "250m", memory: "1Gi" },
  limits: { memory: "1Gi" },
} as const;

/** Resources of a member of this engine when none are given. */
export const memberResourcesOf = (engine: EngineName): typeof memberResources | typeof largerMemberResources =>
  factsOf(engine).memory === "small" ? memberResources : largerMemberResources;

/**
 * What a member's container gets of the resources that were given: where they speak of memory alone, the CPU of the floor is reserved, as
 * one without any reservation starves beside busy neighbors. What follows from processors goes by what was given, not by this.
 */
export function containerResourcesOf({
  engine,
  resources,
}: {
  readonly engine: EngineName;
  readonly resources: Resources;
}): Resources {
  const { requests, limits } = resources;
  const has = (name: string): boolean => requests?.[name] !== undefined || limits?.[name] !== undefined;
  if (has("cpu") || !has("memory")) return resources;
  const { cpu } = memberResourcesOf(engine).requests;
  return { ...resources, requests: { cpu, ...requests } };
}

/** Resources of the metrics exporter beside each member. */
export const exporterResources = {
  requests: { cpu: "10m", memory: "32Mi" },
  limits: { memory: "128Mi" },
} as const;

/** Resources of the server beside each member by which backup Jobs read its data: it compresses them, two files at a time. */
export const backupServerResources = {
  requests: { cpu: "10m", memory: "32Mi" },
  limits: { memory: "512Mi" },
} as const;

/** Resources of the pod that keeps changes: a program that waits for them, and another one that writes the largest of them from memory. */
export const archiveResources = {
  requests: { cpu: "10m", memory: "64Mi" },
  limits: { memory: "512Mi" },
} as const;

/** Resources of the pods of the init and backup Jobs. */
export const jobResources = {
  requests: { cpu: "50m", memory: "64Mi" },
  limits: { memory: "512Mi" },
} as const;

/** Resources of the pod of a restore drill whose server takes in changes or a whole dump: that takes some 500 MiB. */
export const drillResources = {
  requests: { cpu: "50m", memory: "512Mi" },
  limits: { memory: "1Gi" },
} as const;

/** Resources of the pod of a backup Job that has a server of its own, for the copy: that takes some 300 MiB. */
export const copyingJobResources = {
  requests: { cpu: "50m", memory: "320Mi" },
  limits: { memory: "512Mi" },
} as const;
