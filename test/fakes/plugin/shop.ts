// The namespaces `shop` and `bank`: Databases that are well, and that are not, with what is around them.
import { z } from "zod";
import type { Stored } from "./cluster";
import { revisions } from "./revisions";

const group = "example.com/v1";

interface Conditions {
  readonly [type: string]: readonly [status: string, reason: string, message: string, since: string];
}

const conditions = (all: Conditions): unknown[] =>
  Object.entries(all).map(([type, [status, reason, message, lastTransitionTime]]) => ({
    ...{ type, status, reason, message, lastTransitionTime },
  }));

const well: Conditions = {
  Ready: ["True", "AllReplicasReady", "3 of 3 members are ready, orders-0 is primary", "2026-11-22T02:06:35Z"],
  Initialized: ["True", "InitializationSucceeded", "role and database exist", "2026-10-01T08:00:20Z"],
  Reconciling: ["False", "Reconciled", "nothing is in progress", "2026-11-27T13:00:04Z"],
  Stalled: ["False", "NotStalled", "nothing needs a person to act", "2026-10-01T08:00:02Z"],
  BackupReady: ["True", "BackupSucceeded", "the last backup succeeded", "2026-10-01T08:02:00Z"],
  MonitoringReady: ["False", "ServiceMonitorCRDMissing", "the cluster has no ServiceMonitors", "2026-10-01T08:00:02Z"],
};

interface Made {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const database = (namespace: string, name: string, { spec, status, metadata }: Made): Stored => ({
  apiVersion: group,
  kind: "Database",
  metadata: {
    ...{ name, namespace, uid: `uid-${name}`, generation: 4, resourceVersion: "900" },
    ...{ creationTimestamp: "2026-10-01T08:00:00Z", ...metadata },
  },
  spec: {
    ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi" },
    backup: { enabled: true, schedule: "0 2 * * *" },
    ...spec,
  },
  status: { observedGeneration: 4, ...status },
});

/** PostgreSQL with three members, all well. */
export const orders = database("shop", "orders", {
  spec: { config: { max_connections: "150" } },
  status: {
    ...{ ready: true, phase: "Running", replicas: 3, readyReplicas: 3, streamingReplicas: 2, version: "17.12" },
    ...{ primary: "orders-0", endpoint: "orders.shop.svc:5432", credentialsSecret: "orders-credentials" },
    conditions: conditions(well),
    lastChange: { revision: 41, summary: "2 updated, 20 unchanged", at: "2026-11-27T13:00:03Z", by: "argocd" },
    lastBackup: { name: "orders-29401560", label: "orders-20261127T020003Z", completedAt: "2026-11-27T02:04:10Z" },
    lastVerifiedBackup: {
      ...{ name: "orders-29391480", label: "orders-20261120T020003Z", at: "2026-11-22T05:10:00Z" },
      recoverySeconds: 94,
    },
    recoverableFrom: "2026-11-20T02:04:02Z",
  },
});

/** MySQL that waits for a correction. */
export const cart = database("shop", "cart", {
  metadata: { generation: 7 },
  spec: { engine: "mysql", version: "8.4", replicas: 3 },
  status: {
    ...{ ready: true, phase: "Running", observedGeneration: 7, readyReplicas: 3, version: "8.4", primary: "cart-2" },
    ...{ endpoint: "cart.shop.svc:3306", credentialsSecret: "cart-credentials" },
    conditions: conditions({
      ...well,
      Stalled: [
        "True",
        "ParameterReserved",
        "config sets server_id: replication depends on it",
        "2026-11-27T14:20:00Z",
      ],
    }),
    lastChange: { revision: 12, summary: "1 updated, 18 unchanged", at: "2026-11-25T09:00:00Z", by: "kubectl-edit" },
    lastBackup: { name: "cart-29401560", completedAt: "2026-11-27T02:03:00Z" },
  },
});

/** PostgreSQL of which a member does not come back. */
export const ledger = database("bank", "ledger", {
  spec: { replicas: 2 },
  status: {
    ...{ ready: false, phase: "Updating", readyReplicas: 1, version: "17.12", primary: "ledger-0" },
    ...{ endpoint: "ledger.bank.svc:5432", credentialsSecret: "ledger-credentials" },
    conditions: conditions({
      ...well,
      Ready: ["False", "WaitingForMembers", "1 of 2 members is ready; ledger-1 is not", "2026-11-27T14:41:00Z"],
      Reconciling: ["True", "WaitingForMembers", "1 of 2 members is ready; ledger-1 is not", "2026-11-27T14:41:00Z"],
    }),
    lastChange: { revision: 3, summary: "1 updated, 20 unchanged", at: "2026-11-26T10:00:00Z", by: "helm" },
    lastBackup: { name: "ledger-29401560", completedAt: "2026-11-27T02:02:00Z" },
  },
});

/** The plan that waits for approval of `billing`. */
export const plan = "7f3c9a51d0e2b6a4c8d91e0f25b7a3c4d6e8f0a1b2c3d4e5f60718293a4b5c6d";

const awaiting =
  "a change waits: spec.config.max_connections 100 → 150; it needs approval (Switchover): kubectl annotate db billing";

/** PostgreSQL with a change that waits for approval, and then for a window. */
export const billing = database("finance", "billing", {
  status: {
    ...{ ready: true, phase: "Updating", replicas: 3, readyReplicas: 3, version: "17.12", primary: "billing-0" },
    ...{ endpoint: "billing.finance.svc:5432", credentialsSecret: "billing-credentials" },
    conditions: conditions({
      ...well,
      Reconciling: ["True", "ChangePending", awaiting, "2026-11-27T12:50:05Z"],
      ChangePending: ["True", "AwaitingApproval", awaiting, "2026-11-27T12:50:05Z"],
    }),
    pendingChange: {
      ...{ digest: plan, effect: "Switchover", since: "2026-11-27T12:50:05Z", generation: 4 },
      ...{ requestedBy: ["john@example.com"], waitsFor: ["Approval", "Window"] },
      ...{ windowOpensAt: "2026-11-29T01:00:00Z", approveBefore: "2026-12-27T12:50:05Z" },
      changes: [{ path: "spec.config.max_connections", before: "100", after: "150" }],
      consequences: [
        {
          effect: "RollingRestart",
          members: ["billing-2", "billing-1", "billing-0"],
          message: "all members restart, one after the other: billing-2, billing-1, then the primary billing-0",
        },
        {
          effect: "Switchover",
          members: ["billing-0"],
          message: "when it is the primary's turn another member takes over, and clients reconnect",
        },
      ],
    },
    lastChange: { revision: 7, summary: "1 updated, 20 unchanged", at: "2026-11-20T10:00:00Z", by: "argocd" },
    lastBackup: { name: "billing-29401560", completedAt: "2026-11-27T02:01:00Z" },
  },
});

interface Pod {
  readonly database: string;
  readonly role: "primary" | "replica";
  readonly node: string;
  readonly created: string;
  readonly position?: number;
  readonly used?: number;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly ready?: boolean;
}

const gib = 1024 ** 3;

const pod = (namespace: string, name: string, some: Pod): Stored => ({
  kind: "Pod",
  metadata: {
    ...{ name, namespace, creationTimestamp: some.created },
    labels: {
      ...{ app: "database", database: some.database, "app.kubernetes.io/component": "database", role: some.role },
    },
    annotations: {
      status: JSON.stringify({
        ...{ role: some.role, state: "running", xlog_location: some.position ?? 67_108_864 },
        ...(some.role === "replica" && { replication_state: "streaming" }),
      }),
      ...(some.used !== undefined && {
        "database.example.com/volume": JSON.stringify({ level: 0, size: 100 * gib, used: some.used * gib }),
      }),
    },
  },
  spec: { nodeName: some.node },
  status: {
    conditions: [{ type: "Ready", status: some.ready === false ? "False" : "True" }],
    containerStatuses: [
      { name: "postgresql", restartCount: 0, state: { running: { startedAt: some.created } }, ...some.container },
    ],
  },
});

const pods: readonly Stored[] = [
  pod("shop", "orders-0", {
    database: "orders",
    role: "primary",
    node: "a",
    created: "2026-11-22T02:06:31Z",
    used: 18,
  }),
  pod("shop", "orders-1", {
    database: "orders",
    role: "replica",
    node: "b",
    created: "2026-11-27T14:30:02Z",
    used: 18,
  }),
  pod("shop", "orders-2", {
    ...{
      database: "orders",
      role: "replica",
      node: "c",
      created: "2026-11-22T02:05:10Z",
      used: 18,
      position: 66_060_288,
    },
  }),
  pod("bank", "ledger-0", { database: "ledger", role: "primary", node: "a", created: "2026-11-20T10:00:00Z" }),
  pod("bank", "ledger-1", {
    ...{ database: "ledger", role: "replica", node: "b", created: "2026-11-20T10:01:00Z", ready: false },
    container: {
      restartCount: 3,
      state: { running: { startedAt: "2026-11-27T14:42:00Z" } },
      lastState: {
        terminated: { reason: "OOMKilled", exitCode: 137, message: "", finishedAt: "2026-11-27T14:41:00Z" },
      },
    },
  }),
];

const Waiting = z.looseObject({ pendingChange: z.looseObject({}) });

const status = Waiting.parse(billing["status"]);
const approval = { state: "Accepted", by: "jane", message: "approved" };

/** `billing` once its change has been approved. */
export const approvedBilling: Stored = {
  ...billing,
  status: { ...status, pendingChange: { ...status.pendingChange, waitsFor: ["Window"], approval } },
};

/** All of the namespace `finance`. */
export const finance: readonly Stored[] = [
  billing,
  pod("finance", "billing-0", { database: "billing", role: "primary", node: "c", created: "2026-11-20T10:04:00Z" }),
  pod("finance", "billing-1", { database: "billing", role: "replica", node: "a", created: "2026-11-20T10:02:00Z" }),
  pod("finance", "billing-2", { database: "billing", role: "replica", node: "b", created: "2026-11-20T10:00:00Z" }),
];

const backup = (name: string, completedAt: string, status: Readonly<Record<string, unknown>>): Stored => ({
  kind: "DatabaseBackup",
  metadata: { name, namespace: "shop", creationTimestamp: completedAt },
  spec: { database: "orders", keep: name === "before-migration" },
  status: { phase: "Succeeded", trigger: "Scheduled", completedAt, durationSeconds: 247, ...status },
});

const where = { location: "s3://backups/shop/orders" };
const backups: readonly Stored[] = [
  backup("orders-29401560", "2026-11-27T02:04:10Z", {
    size: 4_402_341_478,
    label: "orders-20261127T020003Z",
    ...where,
  }),
  backup("before-migration", "2026-11-25T16:12:40Z", { trigger: "Manual", size: 4 * gib, ...where }),
  backup("orders-29398680", "2026-11-25T02:00:31Z", { phase: "Failed", size: undefined, durationSeconds: undefined }),
  backup("orders-29391480", "2026-11-20T02:04:02Z", {
    size: 4_187_593_113,
    verifiedAt: "2026-11-22T05:10:00Z",
    ...where,
  }),
];

interface Told {
  readonly at: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly isWarning?: boolean;
  readonly count?: number;
}

const event = (namespace: string, { at, object, reason, message, isWarning = false, count }: Told): Stored => {
  const [kind = "", name = ""] = object.split(" ");
  return {
    kind: "Event",
    metadata: { name: `${name}.${at}`, namespace, creationTimestamp: at },
    ...{ involvedObject: { kind, name }, reason, message, type: isWarning ? "Warning" : "Normal" },
    ...{ lastTimestamp: at, ...(count !== undefined && { count }) },
  };
};

const events: readonly Stored[] = [
  event("shop", {
    ...{ at: "2026-11-27T14:29:40Z", object: "Database orders", reason: "Restarting" },
    message: "restarting orders-1: 1 of 3 (replica); why: max_connections 100 → 150",
  }),
  event("shop", {
    ...{ at: "2026-11-27T14:29:41Z", object: "Pod orders-1", reason: "Killing" },
    message: "Stopping container postgresql",
  }),
  event("shop", {
    ...{ at: "2026-11-27T14:10:00Z", object: "Database orders", reason: "DriftCorrected", isWarning: true },
    message:
      "Service orders-ro was edited by kubectl-edit: spec.selector; it was restored: change the Database instead",
  }),
  event("shop", { at: "2026-11-27T14:50:00Z", object: "Pod web-7", reason: "Started", message: "of another one" }),
  event("bank", {
    ...{ at: "2026-11-27T14:41:02Z", object: "Pod ledger-1", reason: "BackOff", isWarning: true, count: 6 },
    message: "Back-off restarting failed container postgresql",
  }),
];

/** All of it. */
export const everything: readonly Stored[] = [orders, cart, ledger, ...pods, ...backups, ...revisions, ...events];
