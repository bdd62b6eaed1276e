// What the deletion of a Database means, by its policy. Pure.
import type { DeletionPolicy } from "../api/spec";
import type { ChildName } from "../domain/children";
import { harmless, type Consequence } from "./consequence";

/** A child that a deletion may leave, and with what. */
export interface Lasting {
  readonly child: ChildName;
  readonly keptWith: "data" | "backups";
}

/** What decides: in a namespace that is being deleted no policy counts. */
export type DeletedBy = DeletionPolicy | "Namespace";

/** Whether a deletion leaves this. */
export const outlives = (by: DeletedBy, { keptWith }: Lasting): boolean =>
  by === "Retain" || (by === "Snapshot" && keptWith === "backups");

/** The weightiest last. */
export function deletionOf(by: DeletedBy, lasting: readonly Lasting[]): Consequence[] {
  const named = (stays: boolean): string =>
    lasting
      .filter((one) => outlives(by, one) === stays)
      .map(({ child }) => child)
      .join(", ");
  const [kept, removed] = [named(true), named(false)];
  return [
    ...(by === "Snapshot" ? [harmless("first a last backup is taken; unless it succeeds nothing is destroyed")] : []),
    { effect: "Downtime", members: [], message: "the members stop, and applications can no longer connect" },
    ...(removed === "" ? [] : [removalOf(by, removed)]),
    ...(kept === ""
      ? []
      : [harmless(`deletionPolicy ${by}: kept, and adopted again by a Database of the same name: ${kept}`)]),
  ];
}

/** Of what the last backup holds nothing is lost. */
const removalOf = (by: DeletedBy, removed: string): Consequence => ({
  effect: by === "Snapshot" ? "None" : "DataLoss",
  members: [],
  message: `${by === "Namespace" ? "with the namespace, and without a last backup" : `deletionPolicy ${by}`}: permanently removed: ${removed}`,
});
