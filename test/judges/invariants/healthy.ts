// A snapshot in which every invariant holds: one Database, at rest, with all its children. Tests plant faults into it.
import { childAnnotations, fieldManager, labelsOf } from "../../../components/naming";
import { finalizer } from "../../../operator/api/lifecycle";
import { expectedChildren } from "./model";
import type { ConditionView, DatabaseView, ObjectView, Snapshot, StateView } from "./snapshot";

const uid = "database-1";
export const password = "Zm9vYmFy_c2VjcmV0-cGFzc3dvcmQ0Mg";
const start = Date.parse("2026-11-21T10:00:00Z");

export const conditionView = (type: string, status: string, reason: string): ConditionView => ({
  ...{ type, status, reason, message: "as it should be" },
  lastTransitionTime: "2026-11-21T10:00:05Z",
  observedGeneration: 1,
});

export const database: DatabaseView = {
  namespace: "production",
  name: "shop",
  uid,
  generation: 1,
  deleting: false,
  finalizers: [finalizer],
  owners: [],
  spec: {
    engine: "postgresql",
    replicas: 2,
    paused: false,
    deletionPolicy: "Retain",
    backup: true,
    backupsElsewhere: false,
    archived: false,
    drills: true,
    monitoring: true,
    tls: true,
    configFrom: "",
  },
  observedGeneration: 1,
  conditions: [
    conditionView("Ready", "True", "AllReplicasReady"),
    conditionView("Reconciling", "False", "Reconciled"),
    conditionView("Stalled", "False", "NotStalled"),
  ],
  status: '{"ready":true}',
};

/** A child as the operator creates it. */
export function childOf(kind: string, name: string, lasting = false): ObjectView {
  const owner = { kind: "Database", name: database.name, uid, controller: true };
  return {
    ...{ kind, name, namespace: database.namespace, uid: `uid of ${kind} ${name}` },
    labels: labelsOf(database.name, "postgresql"),
    annotations: childAnnotations,
    owners: lasting ? [] : [owner],
    managers: [fieldManager],
    deleting: false,
  };
}

const objects = expectedChildren(database, false).map(({ kind, name, lasting }) => childOf(kind, name, lasting));

const resource = ({ kind, namespace, name, uid }: ObjectView): unknown => ({
  urn: `urn:pulumi:production.shop::databases::kubernetes:v1:${kind}::${name}`,
  type: `kubernetes:v1:${kind}`,
  id: `${namespace}/${name}`,
  outputs: { metadata: { uid, namespace, name } },
});

export const checkpointOf = (children: readonly ObjectView[], pending: readonly unknown[] = []): string =>
  JSON.stringify({
    version: 3,
    checkpoint: { latest: { resources: children.map(resource), pending_operations: pending } },
  });

export const state: StateView = {
  stack: "production.shop",
  uid,
  annotations: { "database.example.com/summary": "19 created" },
  notes: ['[{"revision":1}]'],
  checkpoint: checkpointOf(objects),
};

export const healthy: Snapshot = {
  databases: [database],
  companions: ["sample-1"],
  objects,
  states: [state],
  credentials: ["production.shop"],
  certificates: ["production.shop"],
  events: [
    {
      ...{ namespace: "production", about: "Database shop", uid, source: fieldManager, count: 1 },
      ...{ reason: "AllReplicasReady", message: "2 of 2 members ready" },
    },
  ],
  canaries: [password],
  serviceMonitors: false,
  watched: [
    {
      at: start,
      deleted: false,
      first: false,
      database: { ...database, conditions: [], observedGeneration: 0, finalizers: [] },
    },
    { at: start + 5000, deleted: false, first: false, database },
  ],
  writes: [
    {
      ...{
        at: start + 1000,
        user: "operator",
        credential: "1",
        verb: "patch",
        resource: "statefulsets",
        namespace: "production",
      },
      ...{ name: "shop", subresource: "", code: 201, answer: "" },
    },
  ],
  operatorUser: "operator",
  operator: {
    log: ['{"msg":"stack run succeeded"}'],
    argv: ["pulumi up --yes"],
    ends: [],
    starts: [start],
    stops: [],
    releases: [],
  },
  leftovers: { running: false, files: [], processes: [] },
};
