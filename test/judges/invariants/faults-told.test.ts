// Positive controls: each fault in what is told, logged, asked for or left is planted, and that invariant, and it alone, turns red.
import { childOf, database, password, state } from "./healthy";
import { assertRed, changed, condition, last, said, stalled, then, thenWithoutDrills, traces, write } from "./planting";
import type { AuditedWrite } from "./snapshot";

const own = { namespace: "database-operator-system" };
const nowhere = { namespace: "", resource: "customresourcedefinitions" };

/** Writes of the operator that are none of its business. */
const strays: readonly (readonly [sentence: string, change: Partial<AuditedWrite>, says: RegExp])[] = [
  ["a Secret of its namespace that is not a record", { ...own, resource: "secrets", name: "token" }, /system\/token/],
  ["a ConfigMap of its namespace", { ...own, resource: "configmaps", name: "notes" }, /system\/notes/],
  ["another Lease than its own", { ...own, resource: "leases", name: "scheduler" }, /system\/scheduler/],
  ["a companion itself", { resource: "sampledbs" }, /sampledbs production\/shop/],
  [
    "a DatabaseBackup of another client",
    { resource: "databasebackups", name: "mine" },
    /databasebackups production\/mine/,
  ],
  ["a Job of another client", { resource: "jobs", name: "shop-backup-mine" }, /jobs production\/shop-backup-mine/],
  ["a Database that does not exist", { resource: "databases", name: "till" }, /databases production\/till/],
  ["a pod of another client", { resource: "pods", name: "till-0" }, /pods production\/till-0/],
  ["an event where no Database is", { resource: "events", namespace: "other", name: "" }, /events other\//],
  ["another custom resource's definition", { ...nowhere, name: "widgets.example.org" }, /widgets\.example\.org/],
  ["what is in no namespace", { namespace: "", resource: "nodes", name: "node-1" }, /nodes \/node-1/],
];

assertRed({
  "a reason that is not in the list": [condition({ reason: "Whatever" }), "conditions", /not in the list/],
  "a reason that is not a word": [condition({ reason: "not ready" }), "conditions", /not in CamelCase/],
  "a message that is too long": [condition({ message: "a".repeat(1025) }), "conditions", /1025 characters/],
  "an unknown type": [condition({ type: "Happy" }), "conditions", /condition Happy has an unknown type/],
  "a condition that went away": [
    { watched: then({ conditions: database.conditions.slice(1) }) },
    "conditions",
    /condition Ready went away/,
  ],
  "a condition of drills that went away by an edit that was refused": [
    { watched: thenWithoutDrills(stalled) },
    "conditions",
    /condition BackupVerified went away/,
  ],
  "a condition that is there twice": [
    { watched: then({ conditions: [...database.conditions, ...database.conditions.slice(0, 1)] }) },
    "conditions",
    /two conditions Ready/,
  ],
  "a transition time that moves though nothing changed": [
    condition({ lastTransitionTime: "2026-11-21T10:00:09Z" }),
    "conditions",
    /another transition time, though it is True as before/,
  ],
  "a transition before the last one": [
    condition({ status: "False", lastTransitionTime: "2026-11-21T09:00:00Z" }),
    "conditions",
    /changed before its last change/,
  ],
  "a transition time with fractions": [
    condition({ status: "False", lastTransitionTime: "2026-11-21T10:00:09.5Z" }),
    "conditions",
    /has the transition time/,
  ],
  "a condition ahead of its object": [condition({ observedGeneration: 2 }), "conditions", /ahead of 1/],
  "a condition that goes back": [condition({ observedGeneration: 0 }), "conditions", /went back to generation 0/],
  "a status ahead of its object": [{ watched: then({ observedGeneration: 2 }) }, "conditions", /2 is ahead of 1/],
  "a status that goes back": [{ watched: then({ observedGeneration: 0 }) }, "conditions", /went back to 0/],
  "an event that is repeated again and again": [{ events: said({ count: 11 }) }, "events", /was reported 11 times/],
  "the same event many times over": [
    { events: Array.from({ length: 11 }, () => said({})).flat() },
    "events",
    /was reported 11 times/,
  ],
  "an event whose reason is not in the list": [{ events: said({ reason: "Whatever" }) }, "events", /unknown reason/],
  "a password in the log": [
    { operator: { ...traces, log: [`{"msg":"${password}"}`] } },
    "secrets",
    /the operator's log/,
  ],
  "a password in the log, as base64": [
    { operator: { ...traces, log: [Buffer.from(`x${password}yz`).toString("base64")] } },
    "secrets",
    /the operator's log/,
  ],
  "a password in the log, URL-encoded": [
    { canaries: ["a/b+c=d&efgh"], operator: { ...traces, log: [encodeURIComponent("a/b+c=d&efgh")] } },
    "secrets",
    /the operator's log/,
  ],
  "a password in an argument": [
    { operator: { ...traces, argv: [`psql --password=${password}`] } },
    "secrets",
    /the arguments of a process/,
  ],
  "a password in an event": [{ events: said({ message: password }) }, "secrets", /an event of Database shop/],
  "a password in a status, once": [
    { watched: then({ status: password }) },
    "secrets",
    /the status of production\/shop/,
  ],
  "a password in an annotation": [
    { objects: changed("Role shop", { annotations: { note: password } }) },
    "secrets",
    /annotations or labels of Role production\/shop/,
  ],
  "a password in clear in the state": [
    { states: [{ ...state, notes: [password] }] },
    "secrets",
    /Secret state.production.shop, in clear/,
  ],
  "a write to another client's object": [
    { writes: write({ name: "till", at: last }) },
    "reach",
    /statefulsets production\/till, which belongs to no Database/,
  ],
  "a write to another namespace": [
    { writes: write({ namespace: "kube-system", at: last }) },
    "reach",
    /kube-system\/shop/,
  ],
  "a request that was forbidden": [
    { writes: write({ verb: "list", resource: "secrets", name: "", code: 403, at: last }) },
    "reach",
    /list of secrets production\/ was refused/,
  ],
  "a lock that is left": [
    { leftovers: { running: false, files: ["run-1/state/.pulumi/locks"], processes: [] } },
    "leftovers",
    /run-1\/state\/.pulumi\/locks is left/,
  ],
  "a process that is left": [
    { leftovers: { running: false, files: [], processes: ["42 (pulumi up)"] } },
    "leftovers",
    /process 42 \(pulumi up\) is left/,
  ],
  "an operator that crashed": [
    { operator: { ...traces, ends: ["process 42 ended with 1: out of memory"] } },
    "alive",
    /process 42 ended with 1: out of memory/,
  ],
  "a condition that is missing from the first": [
    {
      watched: [
        { at: last, deleted: false, first: true, database: { ...database, conditions: database.conditions.slice(1) } },
      ],
    },
    "conditions",
    /there is no condition Ready/,
  ],
  "a condition that is neither True nor False": [
    condition({ status: "Perhaps", lastTransitionTime: "2026-11-21T10:00:09Z" }),
    "conditions",
    /condition Ready has the status "Perhaps"/,
  ],
  "a password in a label": [
    { objects: changed("Role shop", { labels: { ...childOf("Role", "shop").labels, note: password } }) },
    "secrets",
    /annotations or labels of Role production\/shop/,
  ],
  "a password in clear in the checkpoint": [
    {
      states: [{ ...state, checkpoint: state.checkpoint?.replace('"version":3', `"version":3,"note":"${password}"`) }],
    },
    "secrets",
    /Secret state.production.shop, in clear/,
  ],
  "a password in an annotation of the state": [
    { states: [{ ...state, annotations: { note: password } }] },
    "secrets",
    /Secret state.production.shop, in clear/,
  ],
  "a password in the log, as JSON escapes it": [
    { canaries: ['quo"ted\\secret'], operator: { ...traces, log: [JSON.stringify({ msg: 'quo"ted\\secret' })] } },
    "secrets",
    /the operator's log/,
  ],
  "a password of long ago in a status that is gone": [
    { watched: then({ name: "till", uid: "till", status: password }) },
    "secrets",
    /the status of production\/till/,
  ],
  ...Object.fromEntries(
    strays.map(([sentence, change, says]) => [
      `the operator writes ${sentence}`,
      [{ writes: write({ at: last, ...change }) }, "reach", says],
    ]),
  ),
});
