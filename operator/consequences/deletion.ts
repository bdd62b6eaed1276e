// What the deletion of a Database means, by its policy. Pure.
import type { DeletionPolicy } from "../api/spec";
import type { ChildName } from "../domain/children";
import { harmless, type Consequence } from "./consequence";

/** A child that a deletion may leave, and with what. */
export interface Lasting {
  readonly child: ChildName;
  readonly keptWith: "data" | "backups";
}

/** Whether a deletion under `policy` leaves this. */
export const outlives = (policy: DeletionPolicy, { keptWith }: Lasting): boolean =>
  policy === "Retain" || (policy === "Snapshot" && keptWith === "backups");

/** The weightiest last. */
export function deletionOf(policy: DeletionPolicy, lasting: readonly Lasting[]): Consequence[] {
  const named = (stays: boolean): string =>
    lasting
      .filter((one) => outlives(policy, one) === stays)
      .map(({ child }) => child)
      .join(", ");
  const [kept, removed] = [named(true), named(false)];
  return [
    ...(policy === "Snapshot"
      ? [harmless("first a last backup is taken; unless it succeeds nothing is destroyed")]
      : []),
    { effect: "Downtime", members: [], message: "the members stop, and applications can no longer connect" },
    ...(removed === "" ? [] : [removalOf(policy, removed)]),
    ...(kept === ""
      ? []
      : [harmless(`deletionPolicy ${policy}: kept, and adopted again by a Database of the same name: ${kept}`)]),
  ];
}

/** Of what the last backup holds nothing is lost. */
const removalOf = (policy: DeletionPolicy, removed: string): Consequence => ({
  effect: policy === "Snapshot" ? "None" : "DataLoss",
  members: [],
  message: `deletionPolicy ${policy}: permanently removed: ${removed}`,
});
