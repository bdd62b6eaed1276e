// A new Database that begins with a backup of this one, as a person would apply it. Pure: nothing is asked, and nothing is written.
import { stringify } from "yaml";
import { maxNameLength, namePattern } from "../../../contract/limits";
import { databaseResource, storedVersion } from "../../../contract/resources";
import { isDamaged, newestFirst, type SeenBackup } from "../../objects/backup";
import type { Place } from "./read";

/** What the person wants, as it was written; empty: what is usual. */
export interface RestoreWish {
  /** The name of the new one. */
  readonly name: string;
  /** The DatabaseBackup; empty: the newest, with all that came after it where that is kept. */
  readonly backup: string;
  /** Up to which moment. */
  readonly moment: string;
}

export type RestorePlan =
  | { readonly kind: "manifest"; readonly text: string }
  /** What is wrong with the wish. */
  | { readonly kind: "refused"; readonly message: string };

export interface Restorable {
  readonly place: Place;
  /** Of the Database as it is. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly backups: readonly SeenBackup[];
  /** Since when it can go back to any moment; undefined where it can only to backups. */
  readonly recoverableFrom: string | undefined;
}

/** Those that can be restored, the newest first. */
export const restorable = (backups: readonly SeenBackup[]): readonly SeenBackup[] =>
  newestFirst(backups).filter((one) => one.status.phase === "Succeeded" && !isDamaged(one));

export const usualName = ({ name }: Place): string => `${name}-restored`;

/** What data need to be read, and what they were served with; not what is about the old one alone. */
const taken = ["engine", "version", "replicas", "storage", "storageClass", "resources", "config", "configFrom"];

const isName = (text: string): boolean => text.length <= maxNameLength && namePattern.test(text);
const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[-+]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

export function restorePlan(from: Restorable, wish: RestoreWish): RestorePlan {
  const message = problemOf(from, wish);
  if (message !== undefined) return { kind: "refused", message };
  const { place, spec } = from;
  const { name, backup, moment } = wish;
  const kept = taken.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]] as const]));
  const restore =
    backup === ""
      ? { from: { name: place.name }, ...(moment !== "" && { pointInTime: moment }) }
      : { backup: { name: backup } };
  const database = {
    ...{ apiVersion: `${databaseResource.group}/${storedVersion}`, kind: databaseResource.kind },
    metadata: { name, namespace: place.namespace },
    spec: { ...Object.fromEntries(kept), restore },
  };
  return { kind: "manifest", text: stringify(database, { lineWidth: 0 }) };
}

function problemOf(from: Restorable, { name, backup, moment }: RestoreWish): string | undefined {
  const { place, backups, recoverableFrom } = from;
  if (!isName(name))
    return `the name has lower-case letters, digits and -, ${maxNameLength} at most, and begins with a letter`;
  if (name === place.name) return "a backup is restored into a new Database: write another name";
  if (backup !== "" && !restorable(backups).some((one) => one.name === backup))
    return "there is no such backup, or it is no good";
  if (moment === "") return undefined;
  if (backup !== "") return "one backup has one moment: leave out the moment, or choose the newest backup";
  if (!isMoment(moment)) return "write the moment with its offset, such as 2026-11-25T08:34:00Z";
  return recoverableFrom === undefined || Date.parse(moment) < Date.parse(recoverableFrom)
    ? "that moment is before all that is kept"
    : undefined;
}
