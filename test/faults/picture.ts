// What there is of one Database in the cluster, as data that can be compared: with an undisturbed run's, or with earlier.
import assert from "node:assert/strict";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { weeklyOf } from "../../components/verification";
import type { Kubectl } from "../harness/kubectl";

const kinds = [
  ...["database", "statefulset", "service", "cronjob", "job", "networkpolicy", "poddisruptionbudget"],
  ...["role", "rolebinding", "serviceaccount", "configmap", "persistentvolumeclaim", "secret", "pod"],
  "controllerrevision",
].join(",");

const Meta = z.looseObject({
  name: z.string(),
  uid: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
});
const Listed = z.array(
  z.looseObject({ kind: z.string(), metadata: Meta, data: z.record(z.string(), z.unknown()).optional() }),
);
type Listed = z.infer<typeof Listed>;

/** Everything that matters about one namespace with one Database. */
export interface Picture {
  /** Every object as text without what differs between any two of them, by `Kind name`. */
  readonly objects: Readonly<Record<string, string>>;
  /** uid of each claim and each member's pod, by `Kind name`. */
  readonly uids: Readonly<Record<string, string>>;
  /** Data of the Secrets, by name. */
  readonly secrets: Readonly<Record<string, unknown>>;
  /** How many pod templates the StatefulSet has had: another one restarts all members. */
  readonly templates: number;
}

/** Objects that the cluster puts into every namespace. */
const everywhere: ReadonlySet<string> = new Set(["ConfigMap kube-root-ca.crt", "ServiceAccount default"]);

/** Reads the namespace. Pods of Jobs are left out: they go as they like. */
export async function pictureOf(kubectl: Kubectl, namespace: string): Promise<Picture> {
  const items = Listed.parse(await kubectl.list(kinds, { namespace }));
  const isCompared = (object: Listed[number]): boolean =>
    object.kind !== "ControllerRevision" && !everywhere.has(nameOf(object)) && !isOfJob(object);
  const found = items.filter(isCompared);
  const lasting = found.filter(({ kind }) => kind === "PersistentVolumeClaim" || kind === "Pod");
  const secrets = found.filter(({ kind }) => kind === "Secret");
  const { name = "" } = found.find(({ kind }) => kind === "Database")?.metadata ?? {};
  // follows from the namespace, as its name does
  const weekly = JSON.stringify(weeklyOf({ namespace, name }));
  const textOf = (object: Listed[number]): string =>
    JSON.stringify(masked(object)).replaceAll(weekly, '"WEEKLY"').replaceAll(namespace, "NAMESPACE");
  return {
    objects: record(found, textOf),
    uids: record(lasting, ({ metadata }) => metadata.uid),
    secrets: record(secrets, ({ data }) => data),
    templates: items.filter(({ kind }) => kind === "ControllerRevision").length,
  };
}

/** Throws where the objects of two pictures differ, and tells of those that do, field by field. */
export function assertSameObjects(now: Picture, then: Picture, message?: string): void {
  const differing = [...new Set([...Object.keys(now.objects), ...Object.keys(then.objects)])].filter(
    (name) => now.objects[name] !== then.objects[name],
  );
  const shown = ({ objects }: Picture): Record<string, unknown> =>
    Object.fromEntries(differing.map((name) => [name, JSON.parse(objects[name] ?? "null")]));
  assert.deepEqual(shown(now), shown(then), message);
}

const Versions = z.array(
  z.object({
    kind: z.string(),
    metadata: z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string() }),
  }),
);

/** uid and version of every object of the namespace, by `Kind name`: the same as long as no client touches anything. */
export async function versionsOf(kubectl: Kubectl, namespace: string): Promise<Readonly<Record<string, string>>> {
  const objects = Versions.parse(await kubectl.list(kinds, { namespace }));
  return Object.fromEntries(
    objects.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, `${metadata.uid} ${metadata.resourceVersion}`]),
  );
}

const nameOf = ({ kind, metadata }: Listed[number]): string => `${kind} ${metadata.name}`;

function isOfJob({ kind, metadata }: Listed[number]): boolean {
  return kind === "Pod" && metadata.labels["app.kubernetes.io/component"] !== "database";
}

function record<T>(objects: Listed, valueOf: (object: Listed[number]) => T): Record<string, T> {
  return Object.fromEntries(objects.map((object) => [nameOf(object), valueOf(object)]));
}

/** Fields, at any depth, that differ from one object to the next or show the way and not the end. */
const passing = new Set([
  ...["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "observedGeneration"],
  ...["clusterIP", "clusterIPs", "volumeName", "nodeName", "lastTransitionTime", "controller-revision-hash"],
  ...["controller-uid", "batch.kubernetes.io/controller-uid"],
  ...["pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"],
  ...["volume.kubernetes.io/selected-node", "volume.kubernetes.io/storage-provisioner"],
]);

function masked(object: Listed[number]): unknown {
  const { status, data, ...rest } = object;
  // the status of what Kubernetes runs is its own; a Secret's values differ from one Database to the next
  const keys = data === undefined ? {} : { data: object.kind === "Secret" ? Object.keys(data).sort() : data };
  const conditions = object.kind === "Database" ? Status.parse(status).conditions : [];
  return without({ ...rest, ...keys, conditions });
}

const Status = z.object({
  conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() })).default([]),
});

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== "object" || value === null) return isTokenVolume(value) ? "TOKEN" : value;
  const kept = Object.entries(value).filter(([name]) => !passing.has(name));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, nested]) => [name, without(nested)]));
}

const isTokenVolume = (value: unknown): boolean => typeof value === "string" && value.startsWith("kube-api-access-");

const decompress = promisify(gunzip);
const State = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  data: z.record(z.string(), z.string()).default({}),
});
const Checkpoint = z.object({
  checkpoint: z.object({
    latest: z.object({
      pending_operations: z.array(z.unknown()).default([]),
      resources: z.array(z.object({ urn: z.string(), id: z.string().optional() })).default([]),
    }),
  }),
});

/** What the operator remembers of a Database's stack. */
export interface StateView {
  /** Missing where the last run did not succeed. */
  readonly digest: string | undefined;
  readonly pendingOperations: number;
  /** URNs that are in the state more than once. */
  readonly twice: readonly string[];
  /** Of the cluster's objects, `namespace/name`, sorted. */
  readonly ids: readonly string[];
  /** Everything in the Secret, in bytes. */
  readonly size: number;
}

export const operatorNamespace = "database-operator-system";

/** Reads the Secret with the state; undefined where there is none. */
export async function stateOf(kubectl: Kubectl, stack: string): Promise<StateView | undefined> {
  const found = await kubectl.find("secret", `state.${stack}`, operatorNamespace);
  if (found === undefined) return undefined;
  const { metadata, data } = State.parse(found);
  const text = data["checkpoint"] === undefined ? undefined : await expand(data["checkpoint"]);
  const latest = text === undefined ? undefined : Checkpoint.parse(JSON.parse(text)).checkpoint.latest;
  const resources = latest?.resources ?? [];
  const urns = resources.map(({ urn }) => urn);
  return {
    digest: metadata.annotations["database.example.com/digest"],
    pendingOperations: latest?.pending_operations.length ?? 0,
    twice: urns.filter((urn, index) => urns.indexOf(urn) !== index),
    ids: resources.flatMap(({ id }) => (id?.includes("/") ? [id] : [])).sort(),
    size: JSON.stringify(found).length,
  };
}

async function expand(stored: string): Promise<string> {
  return (await decompress(Buffer.from(stored, "base64"))).toString("utf8");
}
