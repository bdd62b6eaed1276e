// Positive controls: each fault that an invariant is about is planted, and that invariant, and it alone, turns red.
import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf, childOf, database, healthy, password, state } from "./healthy";
import {
  changed,
  claim3,
  condition,
  gone,
  last,
  lastSeenWith,
  left,
  redIn,
  said,
  stalled,
  then,
  traces,
  withDatabase,
  without,
  write,
} from "./planting";
import type { Snapshot } from "./snapshot";

/** What is planted, which invariant must turn red, and what it must say. */
const faults: Record<string, readonly [fault: Partial<Snapshot>, invariant: string, says: RegExp]> = {
  "a Database whose companion is gone": [
    withDatabase({ owners: [{ kind: "SampleDB", name: "shop", uid: "sample-2", controller: true }] }),
    "orphans",
    /production\/shop is owned by SampleDB shop, which is gone/,
  ],
  "a child deleted while no operator runs": [
    {
      objects: without("Service shop-ro"),
      states: [{ ...state, checkpoint: checkpointOf(without("Service shop-ro")) }],
    },
    "children",
    /production\/shop: Service shop-ro is missing/,
  ],
  "an object with the labels of a child that nobody asked for": [
    { objects: [...healthy.objects, childOf("Service", "shop-shadow")] },
    "children",
    /Service shop-shadow is not asked for/,
  ],
  "a child that lost its labels": [
    { objects: changed("NetworkPolicy shop", { labels: {} }) },
    "children",
    /NetworkPolicy shop lacks the labels/,
  ],
  "a budget that one member alone must not have": [
    withDatabase({ spec: { ...database.spec, replicas: 1 } }),
    "children",
    /PodDisruptionBudget shop is not asked for/,
  ],
  "a child without an owner": [
    { objects: changed("StatefulSet shop", { owners: [] }) },
    "children",
    /StatefulSet shop has no owner/,
  ],
  "a child with two owners": [
    {
      objects: changed("Service shop", {
        owners: [...childOf("Service", "shop").owners, ...childOf("Service", "shop").owners],
      }),
    },
    "children",
    /Service shop has 2 owners/,
  ],
  "a claim that goes with its Database": [
    { objects: changed("PersistentVolumeClaim data-shop-0", { owners: childOf("Service", "shop").owners }) },
    "children",
    /data-shop-0 has an owner, though it must outlive it/,
  ],
  "a Service of a Database that is gone": [
    { ...gone, objects: [childOf("Service", "shop")] },
    "orphans",
    /production\/shop is gone, but Service shop is left/,
  ],
  "data of a Database that was deleted with its data": [
    { ...gone, objects: left, credentials: [], watched: lastSeenWith("Delete") },
    "orphans",
    /PersistentVolumeClaim data-shop-2 is left/,
  ],
  "a data volume of a Database of which only the backup was to be kept": [
    {
      ...gone,
      objects: [...left, childOf("PersistentVolumeClaim", "shop-backup", true)],
      watched: lastSeenWith("Snapshot"),
    },
    "orphans",
    /^[^\n]*PersistentVolumeClaim data-shop-2 is left$/,
  ],
  "passwords of record of a Database that was deleted with its data": [
    { ...gone, objects: [], watched: lastSeenWith("Delete") },
    "orphans",
    /Secret credentials.production.shop is left/,
  ],
  "the state of a Database that is gone": [
    { databases: [], objects: left },
    "orphans",
    /Secret state.production.shop is left/,
  ],
  "an object that names an owner that is gone": [
    {
      objects: [
        ...healthy.objects,
        {
          ...childOf("Service", "else"),
          labels: {},
          owners: childOf("Service", "a").owners.map((owner) => ({ ...owner, uid: "former" })),
        },
      ],
    },
    "orphans",
    /Service else is owned by a Database that is gone/,
  ],
  "no state": [{ states: [{ ...state, checkpoint: undefined }] }, "state", /has no checkpoint/],
  "a state that cannot be read": [{ states: [{ ...state, checkpoint: "{" }] }, "state", /cannot be read/],
  "an operation that is pending": [
    { states: [{ ...state, checkpoint: checkpointOf(healthy.objects, [{}]) }] },
    "state",
    /1 operations are pending/,
  ],
  "an object of the state that the cluster does not have": [
    { states: [{ ...state, checkpoint: checkpointOf([...healthy.objects, claim3]) }] },
    "state",
    /PersistentVolumeClaim data-shop-2 is in the stored state, but not in the cluster/,
  ],
  "an object of the cluster that the state does not have": [
    { states: [{ ...state, checkpoint: checkpointOf(without("Role shop")) }] },
    "state",
    /Role shop is not in the stored state/,
  ],
  "an object that was made anew": [
    { objects: changed("Role shop", { uid: "another" }) },
    "state",
    /Role shop is another object than the one in the stored state/,
  ],
  "a state of another stack": [
    { states: [{ ...state, checkpoint: state.checkpoint?.replaceAll("production.shop", "production.till") }] },
    "state",
    /which is of another stack/,
  ],
  "a state of a former Database": [{ states: [{ ...state, uid: "former" }] }, "state", /of a former Database/],
  "no finalizer": [
    withDatabase({ finalizers: [] }),
    "finalizer",
    /no finalizer, but Secret state.production.shop exists/,
  ],
  "a finalizer that holds nothing": [
    { ...withDatabase({ conditions: stalled }), objects: [], states: [] },
    "finalizer",
    /has the finalizer, but nothing of it exists/,
  ],
  "a reason that is not in the list": [condition({ reason: "Whatever" }), "conditions", /not in the list/],
  "a reason that is no word": [condition({ reason: "not ready" }), "conditions", /not in CamelCase/],
  "a message that is too long": [condition({ message: "a".repeat(1025) }), "conditions", /1025 characters/],
  "a type that nobody knows": [condition({ type: "Happy" }), "conditions", /condition Happy has an unknown type/],
  "a condition that went away": [
    { watched: then({ conditions: database.conditions.slice(1) }) },
    "conditions",
    /condition Ready went away/,
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
  "an event that is said again and again": [{ events: said({ count: 11 }) }, "events", /was said 11 times/],
  "the same event many times over": [
    { events: Array.from({ length: 11 }, () => said({})).flat() },
    "events",
    /was said 11 times/,
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
  "a write to somebody else's object": [
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
};

for (const [sentence, [fault, invariant, says]] of Object.entries(faults)) {
  test(`red: ${sentence}`, () => {
    const red = redIn({ ...healthy, ...fault });
    assert.deepEqual(Object.keys(red), [invariant]);
    assert.match(red[invariant]?.join("\n") ?? "", says);
  });
}
