// A Database has the finalizer exactly while something of it exists.
import { finalizer as finalizerName } from "../../../operator/api/lifecycle";
import { stackNameOf } from "../../../operator/domain/stack-names";
import { keyOf, type DatabaseView, type Invariant, type Snapshot } from "./snapshot";
import { nameOf, standingOf } from "./standing";

export const finalizer: Invariant = {
  name: "finalizer",
  promise: "a Database has the finalizer exactly while something of it exists",
  judge: (snapshot) => snapshot.databases.flatMap((database) => judgeDatabase(database, snapshot)),
};

function judgeDatabase(database: DatabaseView, snapshot: Snapshot): string[] {
  const isHeld = database.finalizers.includes(finalizerName);
  const something = somethingOf(database, snapshot);
  if (!isHeld && something !== undefined) return [`${keyOf(database)} has no finalizer, but ${something} exists`];
  // it is put on before the first child is created: only at rest must there be something
  if (isHeld && something === undefined && standingOf(database) !== "underWay") {
    return [`${keyOf(database)} has the finalizer, but nothing of it exists`];
  }
  return [];
}

/** The first thing found that a run created for this very Database; what a previous one of its name left does not count. */
function somethingOf({ namespace, name, uid }: DatabaseView, { states, objects }: Snapshot): string | undefined {
  const stack = stackNameOf(namespace, name);
  const state = states.find((candidate) => candidate.stack === stack && candidate.uid === uid);
  if (state !== undefined) return `Secret state.${stack}`;
  const owned = objects.find(({ owners }) => owners.some((owner) => owner.uid === uid));
  return owned && nameOf(owned);
}
