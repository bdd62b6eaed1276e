// How far a Database has come, going by its own status: what must hold depends on it.
import type { DatabaseView, ObjectView } from "./snapshot";
import { managedSelector } from "../../../components/naming";

/**
 * `settled`: all is as the spec says; `stalled`: nothing happens until a person acts (paused included);
 * `underWay`: anything else.
 */
export type Standing = "settled" | "stalled" | "underWay";

/** Only what was judged from the present generation counts. */
export function standingOf(database: DatabaseView): Standing {
  const says = (type: string, status: string): boolean =>
    database.conditions.some(
      (condition) =>
        condition.type === type && condition.status === status && condition.observedGeneration === database.generation,
    );
  if (database.deleting || database.observedGeneration !== database.generation) return "underWay";
  if (!says("Reconciling", "False")) return "underWay";
  if (says("Stalled", "True") || database.spec.paused) return "stalled";
  return says("Ready", "True") ? "settled" : "underWay";
}

/** Whether an object carries all labels that the operator gives to a Database's children. */
export function isManaged({ labels }: ObjectView, name: string): boolean {
  return Object.entries(managedSelector(name)).every(([label, value]) => labels[label] === value);
}

/** Name of the Database that an object's labels speak of; undefined where they speak of none. */
export function databaseOf(object: ObjectView): string | undefined {
  const name = object.labels["database"];
  return name !== undefined && isManaged(object, name) ? name : undefined;
}

/** `Kind name`. */
export const nameOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind} ${name}`;
