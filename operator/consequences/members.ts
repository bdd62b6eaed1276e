// Members that are added and removed, and what a preview says of those that start. Pure.
import { archiveName, firstBackupJobName, memberName } from "../../components/naming";
import { titleOf, type DesiredRestore } from "../domain/restore";
import { archiveTexts, changesOf } from "./archive";
import { isStopped, resizing, waitsForRoom, type Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";

/** Members that are added. */
export function growth(at: Facts): Consequence[] {
  const size = resizing(at);
  if (size === undefined || isStopped(at) || size.after < size.before) return [];
  const many = size.after - size.before;
  const { noPlace } = at;
  const waits =
    noPlace === undefined ? "" : `; ${noPlace}: until that changes, ${many === 1 ? "it waits" : "they wait"}`;
  const added =
    many === 1
      ? "a member is added; it copies the data first"
      : `${many} members are added; each copies the data first`;
  return [{ ...harmless(`${added}${waits}`), ...waitsForRoom(at) }];
}

function removedMembers(at: Facts): readonly string[] {
  const size = resizing(at);
  if (size === undefined || isStopped(at)) return [];
  const many = Math.max(size.before - size.after, 0);
  return Array.from({ length: many }, (_, index) => memberName(at.name, size.before - 1 - index));
}

/** Who is connected to one of them is not any more, and finds the others. */
export function shrinkage(at: Facts): Consequence[] {
  const removed = removedMembers(at);
  if (removed.length === 0) return [];
  const rest =
    removed.length === 1
      ? "is removed, and connections to it end; its volume is"
      : "are removed, and connections to them end; their volumes are";
  const message = `${removed.join(", ")} ${rest} kept, and used again when the database grows`;
  return [{ effect: "Removal", members: removed, message }];
}

/** The primary is among those that are removed. */
export function removedPrimary(at: Facts): Consequence[] {
  const { primary } = at;
  if (primary === undefined || !removedMembers(at).includes(primary)) return [];
  const message = `${primary} is the primary: another member takes over, and clients reconnect`;
  return [{ effect: "Switchover", members: [primary], message }];
}

/** Pods without a StatefulSet stay or went with it: which, no object says. */
export function lostWorkload({ workload }: Facts): Consequence[] {
  if (workload?.operation !== "create") return [];
  return [
    {
      effect: "CannotBeTold",
      members: [],
      message: "there is no StatefulSet now: it is created, and members that are not there start",
    },
  ];
}

/** What there is to tell of a Database that does not run yet. */
export function creation(at: Facts): Consequence[] {
  const { name, members, noPlace, restore, steps } = at;
  const makes = (object: string): boolean =>
    steps.some(({ kind, name: child, operation }) => `${kind} ${child}` === object && operation === "create");
  const isBackedUp = makes(`Job ${firstBackupJobName(name)}`);
  const count = members === 1 ? "one member starts" : `${members} members start and elect a primary`;
  return [
    ...(noPlace === undefined ? [] : [`${noPlace}: members wait until that changes`]),
    ...(restore === undefined ? [] : [copyText(restore)]),
    `${count}; then a Job creates the application's role and database`,
    ...(isBackedUp || restore !== undefined ? ["a first backup is taken at once, the others by schedule"] : []),
    ...(makes(`Deployment ${archiveName(name)}`) ? archiveTexts(archiveName(name), changesOf(at)) : []),
  ].map((message) => ({ ...harmless(message), ...waitsForRoom(at) }));
}

const copyText = (restore: DesiredRestore): string =>
  `first a Job ${"server" in restore ? "imports" : "copies"} ${titleOf(restore)} into the first member's volume, and the steps below; once it has succeeded:`;
