// Turns what the API server returns into the views that are judged.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import type { AuditedWrite, DatabaseView, EventView, ObjectView, StateView } from "./snapshot";

const expand = promisify(gunzip);
const strings = z.record(z.string(), z.string()).default({});

const Metadata = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string().default(""),
  generation: z.number().default(0),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).default([]),
  labels: strings,
  annotations: strings,
  ownerReferences: z
    .array(z.object({ kind: z.string(), name: z.string(), uid: z.string(), controller: z.boolean().default(false) }))
    .default([]),
  managedFields: z.array(z.object({ manager: z.string().default("") })).default([]),
});

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
  lastTransitionTime: z.string().default(""),
  observedGeneration: z.number().default(0),
});

const on = { enabled: true };
const Switch = z.object({ enabled: z.boolean().catch(true) }).catch(on);

const Backups = z
  .object({
    enabled: z.boolean().catch(true),
    destination: z.object({ s3: z.unknown().optional() }).optional().catch(undefined),
    verify: z.object({ enabled: z.boolean().optional() }).optional().catch(undefined),
    pointInTime: z.object({ enabled: z.boolean().optional() }).optional().catch(undefined),
  })
  .catch({ ...on, destination: undefined, verify: undefined, pointInTime: undefined });

/** Whatever a person got past the API is still a Database. */
const Database = z.object({
  metadata: Metadata,
  spec: z
    .object({
      engine: z.string().catch("postgresql"),
      replicas: z.number().catch(3),
      paused: z.boolean().catch(false),
      deletionPolicy: z.string().catch("Retain"),
      backup: Backups,
      monitoring: Switch,
      configFrom: z.object({ name: z.string() }).catch({ name: "" }),
      tls: z.object({ mode: z.string().optional() }).catch({}),
    })
    .catch({
      tls: {},
      ...{ engine: "postgresql", replicas: 3, paused: false, deletionPolicy: "Retain", monitoring: on },
      backup: { ...on, destination: undefined, verify: undefined },
      configFrom: { name: "" },
    }),
  status: z
    .looseObject({
      observedGeneration: z.number().default(0),
      conditions: z.array(Condition).default([]),
      pendingChange: z.object({ windowOpensAt: z.string().optional() }).optional(),
    })
    .prefault({}),
});

/** A Database as the API server sent it. */
export function databaseView(object: unknown): DatabaseView {
  const { metadata, spec, status } = Database.parse(object);
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    deleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences,
    spec: {
      ...spec,
      backup: spec.backup.enabled,
      backupsElsewhere: spec.backup.destination?.s3 !== undefined,
      archived: spec.backup.pointInTime?.enabled === true,
      drills: spec.backup.verify?.enabled !== false,
      monitoring: spec.monitoring.enabled,
      // a Database of an earlier operator has none: no judge meets one that says nothing of it
      tls: spec.engine === "postgresql" && spec.tls.mode !== "Off",
      configFrom: spec.configFrom.name,
    },
    observedGeneration: status.observedGeneration,
    conditions: status.conditions,
    windowOpensAt: openingIn(status.pendingChange),
    status: JSON.stringify(status),
  };
}

const openingIn = ({ windowOpensAt }: { readonly windowOpensAt?: string | undefined } = {}): number | undefined =>
  windowOpensAt === undefined ? undefined : Date.parse(windowOpensAt);

/** The uid of an object of any kind. */
export const uidOf = (object: unknown): string => z.object({ metadata: Metadata }).parse(object).metadata.uid;

const Child = z.object({ kind: z.string(), metadata: Metadata });

/** An object of any kind. */
export function objectView(object: unknown): ObjectView {
  const { kind, metadata } = Child.parse(object);
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    labels: metadata.labels,
    annotations: metadata.annotations,
    owners: metadata.ownerReferences,
    managers: metadata.managedFields.map(({ manager }) => manager),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

export const Secret = z.object({ metadata: Metadata, data: strings });
export type Secret = z.infer<typeof Secret>;

export const decoded = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** A Secret `state.<stack>`; the checkpoint is gzipped, what else is stored is not. */
export async function stateView({ metadata, data }: Secret): Promise<StateView> {
  const { checkpoint, ...others } = data;
  const notes = await Promise.all(Object.values(others).map((text) => expanded(text)));
  return {
    stack: metadata.name.replace(/^state\./, ""),
    uid: metadata.annotations["database.example.com/uid"] ?? "",
    annotations: metadata.annotations,
    notes: notes.map((text, index) => text || decoded(Object.values(others)[index] ?? "")),
    checkpoint: checkpoint === undefined ? undefined : await expanded(checkpoint),
  };
}

/** Empty where it is not gzipped. */
const expanded = (text: string): Promise<string> =>
  expand(Buffer.from(text, "base64")).then(
    (buffer) => buffer.toString("utf8"),
    () => "",
  );

const privateKeys = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g;

/** Values of the operator's own Secrets and of those of a Database that must be nowhere else. */
export function canariesIn({ metadata: { name }, data }: Secret): string[] {
  const isProjection = name.endsWith("-credentials");
  const isAllSecret = /^(former-)?credentials\./.test(name) || name.endsWith("-system") || name.endsWith("-state-key");
  if (isAllSecret) return Object.values(data).map(decoded);
  if (name.startsWith("certificates.") || name.endsWith("-server-tls"))
    return ["ca.key", "tls.key"].flatMap((key) => decoded(data[key] ?? "").match(privateKeys) ?? []);
  return isProjection && data["password"] !== undefined ? [decoded(data["password"])] : [];
}

const Event = z.object({
  metadata: z.object({ namespace: z.string() }),
  involvedObject: z.object({
    kind: z.string().default(""),
    name: z.string().default(""),
    uid: z.string().default(""),
  }),
  source: z.object({ component: z.string().default("") }).prefault({}),
  reason: z.string().default(""),
  message: z.string().default(""),
  count: z.number().nullish(),
});

export function eventView(object: unknown): EventView {
  const { metadata, involvedObject, source, reason, message, count } = Event.parse(object);
  return {
    namespace: metadata.namespace,
    about: `${involvedObject.kind} ${involvedObject.name}`,
    uid: involvedObject.uid,
    source: source.component,
    reason,
    message,
    count: count ?? 1,
  };
}

const AuditEvent = z.object({
  verb: z.string(),
  user: z.object({
    username: z.string().default(""),
    extra: z.record(z.string(), z.array(z.string())).default({}),
  }),
  requestURI: z.string().default(""),
  requestReceivedTimestamp: z.string(),
  objectRef: z
    .object({
      resource: z.string().default(""),
      namespace: z.string().default(""),
      name: z.string().default(""),
      subresource: z.string().default(""),
    })
    .prefault({}),
  responseStatus: z.object({ code: z.number().default(0), message: z.string().default("") }).prefault({}),
});

/** A line of the audit log; undefined where it is about no object, or only asks what would be. */
export function auditedRequest(line: string): AuditedWrite | undefined {
  if (line.includes("dryRun=")) return undefined;
  const parsed = AuditEvent.safeParse(JSON.parse(line));
  if (!parsed.success) return undefined;
  const { verb, user, objectRef, responseStatus, requestReceivedTimestamp } = parsed.data;
  if (objectRef.resource === "") return undefined;
  return {
    at: Date.parse(requestReceivedTimestamp),
    user: user.username,
    credential: user.extra["authentication.kubernetes.io/credential-id"]?.[0] ?? "",
    verb,
    ...objectRef,
    code: responseStatus.code,
    answer: responseStatus.message,
  };
}
