// Nothing is left of a Database that is gone, but what its deletion policy keeps.
import { companionResources } from "../../../contract/resources";
import { lastingChildren } from "./model";
import { keyOf, type Invariant, type Key, type ObjectView, type Snapshot } from "./snapshot";
import { stackNameOf } from "../../../operator/domain/stack-names";
import { databaseOf, nameOf } from "./standing";

export const orphans: Invariant = {
  name: "orphans",
  promise: "nothing is left of a Database that is gone, but what its deletion policy keeps",
  judge: (snapshot) => [...orphanedObjects(snapshot), ...orphanedRecords(snapshot), ...orphanedDatabases(snapshot)],
};

function orphanedObjects(snapshot: Snapshot): string[] {
  const alive = new Set(snapshot.databases.map(keyOf));
  const policies = lastPolicies(snapshot);
  return snapshot.objects.flatMap((object) => {
    const name = databaseOf(object);
    const key = name === undefined ? undefined : keyOf({ namespace: object.namespace, name });
    if (name !== undefined && key !== undefined && !alive.has(key)) {
      if (isKept(object, name, policies.get(key))) return [];
      return [`${key} is gone, but ${nameOf(object)} is left`];
    }
    return dangling(object, snapshot);
  });
}

const companionKinds: ReadonlySet<string> = new Set(Object.values(companionResources).map(({ kind }) => kind));

/** Garbage collection takes a Database with its companion. */
const orphanedDatabases = ({ databases, companions }: Snapshot): string[] =>
  databases.flatMap((database) => {
    const owner = database.owners.find(({ kind, uid }) => companionKinds.has(kind) && !companions.includes(uid));
    return database.deleting || owner === undefined
      ? []
      : [`${keyOf(database)} is owned by ${owner.kind} ${owner.name}, which is gone`];
  });

/** What names an owner that is gone: the garbage collector would take it at any time. */
function dangling(object: ObjectView, { databases }: Snapshot): string[] {
  const owner = object.owners.find(({ kind }) => kind === "Database");
  if (owner === undefined || databases.some(({ uid }) => uid === owner.uid)) return [];
  return [`${object.namespace}/${owner.name}: ${nameOf(object)} is owned by a Database that is gone`];
}

/** Where the policy was not seen, data may be kept. */
function isKept(object: ObjectView, name: string, policy = "Retain"): boolean {
  if (policy === "Delete") return false;
  if (policy === "Snapshot" && object.kind !== "Secret") {
    return ["PersistentVolumeClaim", "ConfigMap"].some((kind) => nameOf(object) === `${kind} ${name}-backup`);
  }
  return lastingChildren(name).some((lasting) => nameOf(lasting) === nameOf(object));
}

/** The deletion policy that each Database was last seen with. */
function lastPolicies({ watched = [] }: Snapshot): ReadonlyMap<Key, string> {
  return new Map(watched.map(({ database }) => [keyOf(database), database.spec.deletionPolicy]));
}

function stackOf(key: Key): string {
  const [namespace = "", name = ""] = key.split("/");
  return stackNameOf(namespace, name);
}

function orphanedRecords(snapshot: Snapshot): string[] {
  const alive = new Set(snapshot.databases.map(({ namespace, name }) => stackNameOf(namespace, name)));
  const states = snapshot.states
    .filter(({ stack }) => !alive.has(stack))
    .map(({ stack }) => `Secret state.${stack} is left of a Database that is gone`);
  const deleted = new Set(
    [...lastPolicies(snapshot)].filter(([, policy]) => policy === "Delete").map(([key]) => stackOf(key)),
  );
  const secrets = (["credentials", "certificates"] as const).flatMap((record) =>
    snapshot[record]
      .filter((stack) => !alive.has(stack) && deleted.has(stack))
      .map((stack) => `Secret ${record}.${stack} is left of a Database that was deleted with its data`),
  );
  return [...states, ...secrets];
}
