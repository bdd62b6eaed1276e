// Positive controls: each fault in objects that an invariant is about is planted, and that invariant, and it alone, turns red.
import assert from "node:assert/strict";
import { checkpointOf, childOf, database, healthy, state } from "./healthy";
import { assertRed, changed, claim3, gone, lastSeenWith, left, stalled, withDatabase, without } from "./planting";

const [owner = assert.fail("a child has no owner")] = childOf("Service", "shop").owners;

assertRed({
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
  "an object with the labels of a child that is not wanted": [
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
    { ...gone, objects: left, credentials: [], certificates: [], watched: lastSeenWith("Delete") },
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
  "certificates of a Database that was deleted with its data": [
    { ...gone, objects: [], credentials: [], watched: lastSeenWith("Delete") },
    "orphans",
    /Secret certificates.production.shop is left/,
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
  "an object that was recreated": [
    { objects: changed("Role shop", { uid: "another" }) },
    "state",
    /Role shop is another object than the one in the stored state/,
  ],
  "a state of another stack": [
    { states: [{ ...state, checkpoint: state.checkpoint?.replaceAll("production.shop", "production.till") }] },
    "state",
    /which is of another stack/,
  ],
  "a state of a previous Database": [{ states: [{ ...state, uid: "former" }] }, "state", /of a previous Database/],
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
  "an object of its own that lost its labels and is not asked for": [
    { objects: [...healthy.objects, { ...childOf("Service", "shop-shadow"), labels: {} }] },
    "children",
    /Service shop-shadow is not asked for/,
  ],
  "a child with another owner": [
    { objects: changed("Service shop", { owners: [{ kind: "Shop", name: "shop", uid: "shop-1", controller: true }] }) },
    "children",
    /Service shop is owned by Shop shop, not controlled by its Database/,
  ],
  "a child that its Database owns and does not control": [
    { objects: changed("Service shop", { owners: [{ ...owner, controller: false }] }) },
    "children",
    /Service shop is owned by Database shop, not controlled by its Database/,
  ],
  "a child of a namesake that is there, too": [
    {
      objects: changed("Service shop", { owners: [{ ...owner, uid: "former" }] }),
      databases: [database, { ...database, namespace: "staging", uid: "former", conditions: [] }],
    },
    "children",
    /Service shop is owned by a previous Database of this name/,
  ],
  "an object of the state without an identity": [
    { states: [{ ...state, checkpoint: state.checkpoint?.replace('"uid":', '"id":') }] },
    "state",
    /has no identity in the stored state/,
  ],
  "an object of the state in another namespace": [
    {
      states: [
        { ...state, checkpoint: state.checkpoint?.replace('"namespace":"production"', '"namespace":"staging"') },
      ],
    },
    "state",
    /is of namespace staging in the stored state/,
  ],
  "no finalizer where the state was lost": [
    { ...withDatabase({ finalizers: [], generation: 2 }), states: [] },
    "finalizer",
    /no finalizer, but StatefulSet shop exists/,
  ],
});
