// What excuses the operator for a write about a Database at rest, and what does not: other users are always at work.
import assert from "node:assert/strict";
import test from "node:test";
import { database, healthy } from "./healthy";
import { conditions, last, redIn, traces } from "./planting";
import type { AuditedWrite, OperatorTraces, Snapshot, WatchedDatabase } from "./snapshot";

/** When the operator writes what it has to account for: long after the Database came to rest. */
const now = last + 90_000;

const write = (what: Partial<AuditedWrite>): AuditedWrite => ({
  ...{ at: now, user: "operator", credential: "1", verb: "patch", resource: "statefulsets", subresource: "" },
  ...{ namespace: "production", name: "shop", code: 200, answer: "" },
  ...what,
});
/** What another client wrote a second before. */
const by = (user: string, what: Partial<AuditedWrite>): AuditedWrite => write({ user, at: now - 1000, ...what });
const status = { resource: "databases", subresource: "status" };
const definition = (name: string): object => ({ resource: "customresourcedefinitions", namespace: "", name });
const revision = { resource: "databaserevisions", name: "shop-0a1b2c3d-4" };
const made = { ...revision, verb: "create" };
const told = { ...revision, subresource: "status" };
const record = { resource: "secrets", namespace: "database-operator-system", name: "state.production.shop" };

const watchedAs = (change: Partial<WatchedDatabase["database"]["spec"]>): readonly WatchedDatabase[] =>
  (healthy.watched ?? []).map((event) => ({
    ...event,
    database: { ...event.database, spec: { ...event.database.spec, ...change } },
  }));
/** It came to rest once more, after a turn of so many milliseconds. */
const restAgain = (at: number, turn = 1000): readonly WatchedDatabase[] => [
  ...(healthy.watched ?? []),
  { at: at - turn, deleted: false, first: false, database: { ...database, generation: 2 } },
  { at, deleted: false, first: false, database },
];
const ran = (starts: readonly number[], stops: readonly number[]): OperatorTraces => ({ ...traces, starts, stops });
const became = (at: number): Partial<Snapshot> => ({
  operator: { ...ran([last - 5000, at + 500], [at - 500]), releases: [at] },
});

type Case = readonly [others: readonly AuditedWrite[], own?: Partial<AuditedWrite>, more?: Partial<Snapshot>];

const snapshotOf = ([others, own = {}, more = {}]: Case): Snapshot => ({
  ...healthy,
  writes: [...(healthy.writes ?? []), ...others, write(own)].sort((one, other) => one.at - other.at),
  ...more,
});

/** What `quiet` says was written, and how often. */
const quietIn = (snapshot: Snapshot): string[] | undefined =>
  redIn(snapshot)["quiet"]?.map((problem) => problem.replace(/;.*/, ""));

const kubelet = "system:node:node-1";
const controllers = "system:serviceaccount:kube-system:statefulset-controller";

/** The Database, which lacks a name that another owner has. */
const inConflict: readonly WatchedDatabase[] = (healthy.watched ?? []).map((event) => ({
  ...event,
  database: { ...event.database, conditions: conditions("Stalled", { status: "True", reason: "NameConflict" }) },
}));

/** What explains the write. */
const excuses: Record<string, Case> = {
  "a person's edit of the Database": [[by("admin", { resource: "databases" })]],
  "a person's DatabaseBackup": [[by("admin", { resource: "databasebackups", name: "before-migration" })]],
  "the end of the Job that a DatabaseBackup asked for": [
    [by(controllers, { resource: "jobs", name: "shop-backup-m08c322b42", subresource: "status" })],
  ],
  "a person's edit of its status": [[by("admin", { resource: "databases", subresource: "status" })]],
  "the key of all states, which another client deleted": [
    [
      by("admin", {
        ...{ resource: "secrets", namespace: "database-operator-system" },
        ...{ name: "database-operator-state-key", verb: "delete" },
      }),
    ],
  ],
  "a child that another client edited": [[by("admin", { resource: "services", name: "shop-ro" })]],
  "a child that Kubernetes deleted": [
    [by("system:serviceaccount:kube-system:generic-garbage-collector", { verb: "delete" })],
  ],
  "an autoscaler on the members": [
    [by("system:serviceaccount:kube-system:horizontal-pod-autoscaler", { subresource: "scale" })],
  ],
  "all children of a kind that were deleted": [[by("admin", { verb: "deletecollection", name: "" })]],
  "its namespace, which is to go": [
    [by("admin", { resource: "namespaces", namespace: "", name: "production", verb: "delete" })],
  ],
  "the ConfigMap that its configFrom names": [
    [by("admin", { resource: "configmaps", name: "tuning" })],
    {},
    { watched: watchedAs({ configFrom: "tuning" }) },
  ],
  "its companion": [[by("admin", { resource: "sampledbs" })]],
  "its state, which another client deleted": [
    [
      by("admin", {
        ...{ resource: "secrets", namespace: "database-operator-system" },
        ...{ name: "state.production.shop", verb: "delete" },
      }),
    ],
  ],
  "the catalogue": [
    [
      by("admin", {
        ...{ resource: "configmaps", namespace: "database-operator-system" },
        name: "database-operator-catalogue",
      }),
    ],
  ],
  "the custom resource itself": [[by("admin", definition("databases.example.com"))]],
  "rights that the operator was given": [
    [by("admin", { resource: "clusterroles", namespace: "", name: "database-operator" })],
  ],
  "a member's pod, for the status": [
    [by(kubelet, { resource: "pods", name: "shop-0", subresource: "status" })],
    status,
  ],
  "the pod of its last backup, for the status": [
    [by(kubelet, { resource: "pods", name: "shop-backup-29391840-x7k2p", subresource: "status" })],
    status,
  ],
  "a Job that the schedule made, for the status": [
    [by("system:serviceaccount:kube-system:cronjob-controller", { resource: "jobs", name: "shop-backup-29391840" })],
    status,
  ],
  "a Job that a person made from its schedule, for the status": [
    [
      by("system:serviceaccount:kube-system:job-controller", {
        ...{ resource: "jobs", subresource: "status" },
        name: "before-the-release",
      }),
    ],
    status,
  ],
  "its StatefulSet's status, for the status": [[by(controllers, { subresource: "status" })], status],
  "a member's pod, for what the history says of it": [
    [by(kubelet, { resource: "pods", name: "shop-0", subresource: "status" })],
    told,
  ],
  "the operator's own record of a change, for its revision": [
    [by("admin", { resource: "databases", at: now - 15_000 }), by("operator", { ...record, at: now - 8000 })],
    made,
  ],
  "revisions that a person deleted": [[by("admin", { ...revision, verb: "delete" })], made],
  "the kind of revisions, which came a while ago": [
    [by("admin", { ...definition("databaserevisions.example.com"), at: now - 20_000 })],
    made,
  ],
  "an edit right before the Database came to rest": [
    [by("admin", { resource: "databases" })],
    {},
    { watched: restAgain(now - 500) },
  ],
  "an edit that came too late for a long turn, at the end of which the Database came to rest": [
    [by("admin", { resource: "databases", at: now - 5600 })],
    {},
    { watched: restAgain(now - 1000, 4000) },
  ],
  "an edit of long ago, where no operator ran since": [
    [by("admin", { resource: "databases", at: last + 10_000 })],
    {},
    { operator: ran([last - 5000, now - 2000], [last + 8000]) },
  ],
  "that the operator has become another release": [[], {}, became(now - 14_500)],
  "an edit of long ago, where no operator led since": [
    [
      write({ resource: "leases", name: "database-operator-leader", at: last + 9000 }),
      by("admin", { resource: "databases", at: last + 10_000 }),
      write({ resource: "leases", name: "database-operator-leader", at: now - 1000, credential: "2" }),
    ],
  ],
  "an edit of long ago, where the operator was busy with others since": [
    [
      by("admin", { resource: "databases", at: now - 30_000 }),
      ...Array.from({ length: 10 }, (_, index) => write({ name: "till", at: now - 30_000 + index * 3000 })),
    ],
    {},
    { watched: [...(healthy.watched ?? []), atWork("till")] },
  ],
  "another client's object that took its name and went, at the next look": [
    [by("admin", { resource: "services", name: "shop-ro", verb: "delete", at: now - 20_000 })],
    status,
    { watched: inConflict },
  ],
};

/** Another Database, which never comes to rest. */
function atWork(name: string): WatchedDatabase {
  return { at: last, deleted: false, first: false, database: { ...database, name, uid: name, generation: 2 } };
}

/** What explains nothing. */
const noExcuses: Record<string, Case> = {
  "nothing at all": [[]],
  "nothing at all, for the status": [[], status],
  "a namespace that another client created": [
    [by("admin", { resource: "namespaces", namespace: "", name: "other", verb: "create" })],
  ],
  "its namespace, which got a label": [[by("admin", { resource: "namespaces", namespace: "", name: "production" })]],
  "another namespace, which is to go": [
    [by("admin", { resource: "namespaces", namespace: "", name: "other", verb: "delete" })],
  ],
  "a node's heartbeat": [[by(kubelet, { resource: "nodes", namespace: "", name: "node-1", subresource: "status" })]],
  "an event about it": [[by(kubelet, { resource: "events", name: "shop.1", verb: "create" })]],
  "a neighbor's Database": [[by("admin", { resource: "databases", name: "till" })]],
  "a neighbor's child": [[by("admin", { resource: "services", name: "till" })]],
  "a Job that a neighbor's schedule made, for the status": [
    [by("system:serviceaccount:kube-system:cronjob-controller", { resource: "jobs", name: "till-backup-29391840" })],
    status,
  ],
  "a Job that a person made from its schedule, for a child": [[by("admin", { resource: "jobs", name: "release" })]],
  "the end of a neighbor's Job of the same kind": [
    [by(controllers, { resource: "jobs", name: "till-backup-m08c322b42", subresource: "status" })],
  ],
  "a neighbor's pod, for the status": [[by(kubelet, { resource: "pods", name: "till-0" })], status],
  "the Database of this name elsewhere": [[by("admin", { resource: "databases", namespace: "staging" })]],
  "an unused ConfigMap": [[by("admin", { resource: "configmaps", name: "tuning" })]],
  "an object of another kind with its name": [[by(controllers, { resource: "endpointslices" })]],
  "a neighbor's state": [
    [
      by("admin", {
        ...{ resource: "secrets", namespace: "database-operator-system" },
        name: "state.production.till",
      }),
    ],
  ],
  "another custom resource": [[by("admin", definition("widgets.example.org"))]],
  "a member's pod, for a child": [[by(kubelet, { resource: "pods", name: "shop-0", subresource: "status" })]],
  "its StatefulSet's status, for a child": [[by(controllers, { subresource: "status" })]],
  "a volume that was bound, for a child": [
    [
      by("system:serviceaccount:kube-system:persistent-volume-binder", {
        ...{ resource: "persistentvolumeclaims", name: "data-shop-0", verb: "update" },
      }),
    ],
  ],
  "what members agree on": [
    [by("system:serviceaccount:production:shop", { resource: "configmaps", name: "shop-leader" })],
    status,
  ],
  "an edit that was refused": [[by("admin", { resource: "databases", code: 409 })]],
  "an edit that came later": [[by("admin", { resource: "databases", at: now + 1 })]],
  "an edit of long ago": [[by("admin", { resource: "databases", at: now - 11_000 })]],
  "an edit of long ago, which the previous operator had time for": [
    [by("admin", { resource: "databases", at: last + 10_000 })],
    {},
    { operator: ran([last - 5000, now - 2000], [now - 3000]) },
  ],
  "a new process of the same release": [[], {}, { operator: ran([last - 5000, now - 4000], [now - 5000]) }],
  "that the operator became another release long ago": [[], {}, became(now - 30_500)],
  "an edit of long ago, though another Database never comes to rest": [
    [by("admin", { resource: "databases", at: now - 11_000 })],
    {},
    { watched: [...(healthy.watched ?? []), atWork("till")] },
  ],
  "another client's object that had its name and went long ago": [
    [by("admin", { resource: "services", name: "shop-ro", verb: "delete", at: now - 26_000 })],
    status,
    { watched: inConflict },
  ],
  "an edit that the Database has been at rest since": [
    [by("admin", { resource: "databases", at: now - 9000 })],
    {},
    { watched: restAgain(now - 4500) },
  ],
  "nothing at all, for what its history says": [[], told],
  "the operator's own record of long ago, for its revision": [
    [by("admin", { resource: "databases", at: now - 15_000 }), by("operator", { ...record, at: now - 12_000 })],
    told,
  ],
  "a neighbor's revision": [[by("admin", { ...revision, name: "till-0a1b2c3d-4" })], told],
  "its revision, for a child": [[by("admin", revision)]],
  "nothing at all, for the record of it": [
    [],
    { resource: "secrets", namespace: "database-operator-system", name: "state.production.shop" },
  ],
  "nothing at all, for its companion": [[], { resource: "sampledbs", subresource: "status" }],
};

for (const [sentence, fault] of Object.entries(excuses)) {
  test(`excused: ${sentence}`, () => {
    assert.deepEqual(redIn(snapshotOf(fault))["quiet"], undefined);
  });
}

for (const [sentence, fault] of Object.entries(noExcuses)) {
  test(`not excused: ${sentence}`, () => {
    const { verb, resource, subresource, namespace, name } = write(fault[1] ?? {});
    const what = `${verb} of ${resource}${subresource && `/${subresource}`} ${namespace}/${name}, once, at rest`;
    assert.deepEqual(quietIn(snapshotOf(fault)), [what]);
  });
}

test("a write of the history is no cause of the next one", () => {
  const lines = quietIn(snapshotOf([[by("operator", { ...told, at: now - 2000 })], told]));
  assert.deepEqual(lines, ["patch of databaserevisions/status production/shop-0a1b2c3d-4, 2 times, at rest"]);
});

test("the writes of others right before are named", () => {
  const edit = by("admin", { resource: "services", name: "till" });
  assert.match(
    redIn(snapshotOf([[edit]]))["quiet"]?.join() ?? "",
    /at rest; \d{4}-.*Z, .*1\.0 s after patch of services production\/till by admin \(200\)$/,
  );
});

test("the work of all other clients at once excuses nothing", () => {
  const others = Object.values(noExcuses).flatMap(([writes, own]) => (own === undefined ? writes : []));
  const harmless = others.filter(({ user, at }) => user !== "operator" && at === now - 1000);
  assert.ok(harmless.length > 10);
  assert.deepEqual(quietIn(snapshotOf([harmless])), ["patch of statefulsets production/shop, once, at rest"]);
});

test("writes while a Database is being changed are not questioned, nor writes about one that is gone", () => {
  const gone = (healthy.watched ?? []).map((event, index) => (index === 1 ? { ...event, deleted: true } : event));
  assert.equal(redIn(snapshotOf([[], {}, { watched: gone }]))["quiet"], undefined);
  assert.equal(redIn(snapshotOf([[], {}, { watched: [atWork("shop")] }]))["quiet"], undefined);
});

test("a child's name that two Databases give is explained by whichever is being changed", () => {
  const watched = [...(healthy.watched ?? []), atWork("shop-ro")];
  assert.equal(redIn(snapshotOf([[], { resource: "services", name: "shop-ro" }, { watched }]))["quiet"], undefined);
});
