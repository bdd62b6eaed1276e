// The children of a Database are those that its spec asks for: none missing, none extra, each owned as it must be.
import { expectedChildren, lastingChildren, possibleChildren, type ExpectedChild } from "./model";
import { keyOf, type DatabaseView, type Invariant, type ObjectView, type Snapshot } from "./snapshot";
import { isManaged, nameOf, standingOf, type Standing } from "./standing";

export const children: Invariant = {
  name: "children",
  promise: "a Database has the children that its spec asks for, and no others; each is owned as it must be",
  judge: (snapshot) => snapshot.databases.flatMap((database) => judgeDatabase(database, snapshot)),
};

function judgeDatabase(database: DatabaseView, { objects, serviceMonitors }: Snapshot): string[] {
  const standing = standingOf(database);
  const here = objects.filter(({ namespace, deleting }) => namespace === database.namespace && !deleting);
  const expected = expectedChildren(database, serviceMonitors);
  const found = [
    ...(standing === "settled" ? expected.flatMap((wanted) => missing(wanted, database, here)) : []),
    ...extra(database, here, standing),
    ...here.filter((object) => isManaged(object, database.name)).flatMap((object) => misowned(object, database)),
  ];
  return found.map((problem) => `${keyOf(database)}: ${problem}`);
}

function missing(wanted: ExpectedChild, { name }: DatabaseView, here: readonly ObjectView[]): string[] {
  const found = here.find((object) => nameOf(object) === nameOf(wanted));
  if (found === undefined) return [`${nameOf(wanted)} is missing`];
  return isManaged(found, name) ? [] : [`${nameOf(wanted)} lacks the labels of a child`];
}

function extra(database: DatabaseView, here: readonly ObjectView[], standing: Standing): string[] {
  const { name, uid } = database;
  const asked = standing === "settled" ? expectedChildren(database, true) : possibleChildren(name);
  const allowed = new Set([...asked, ...lastingChildren(name)].map(nameOf));
  const mine = here.filter((object) => isManaged(object, name) || object.owners.some((owner) => owner.uid === uid));
  return mine
    .filter((object) => !allowed.has(nameOf(object)) && !isScheduledBackup(object, name))
    .map((object) => `${nameOf(object)} is not asked for`);
}

/** Jobs that the CronJobs created. */
const isScheduledBackup = ({ kind, owners }: ObjectView, name: string): boolean =>
  kind === "Job" &&
  owners.some((owner) => owner.kind === "CronJob" && /^(backup|verify)$/.test(owner.name.replace(`${name}-`, "")));

function misowned(object: ObjectView, database: DatabaseView): string[] {
  if (isScheduledBackup(object, database.name)) return [];
  const isLasting = lastingChildren(database.name).some((lasting) => nameOf(lasting) === nameOf(object));
  const problem = isLasting ? ownedThoughLasting(object) : ownershipProblem(object, database);
  return problem === undefined ? [] : [`${nameOf(object)} ${problem}`];
}

const ownedThoughLasting = ({ owners }: ObjectView): string | undefined =>
  owners.length === 0 ? undefined : "has an owner, though it must outlive it";

function ownershipProblem({ owners }: ObjectView, database: DatabaseView): string | undefined {
  const [owner, ...others] = owners;
  const isSettled = standingOf(database) === "settled";
  if (owner === undefined) return isSettled && !isUnowned(database) ? "has no owner" : undefined;
  if (others.length > 0) return `has ${owners.length} owners`;
  if (owner.kind !== "Database" || owner.name !== database.name || !owner.controller) {
    return `is owned by ${owner.kind} ${owner.name}, not controlled by its Database`;
  }
  return isSettled && owner.uid !== database.uid ? "is owned by a previous Database of this name" : undefined;
}

/** A foreground deletion takes owned children at once, before a last backup could be taken. */
const isUnowned = ({ spec }: DatabaseView): boolean => spec.deletionPolicy === "Snapshot";
