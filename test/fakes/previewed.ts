// What a preview found, for tests of what it says: steps of a run, and what is known beside them.
import type { ConsequenceInputs } from "../../operator/preview/consequences";
import type { FieldChange, PlannedStep } from "../../operator/domain/runner";

export const fieldChange = (path: string, before: unknown, after: unknown): FieldChange => ({
  path,
  kind: "change",
  before,
  after,
});

/** `object`: kind and name, such as "StatefulSet shop". */
export function stepOf(
  object: string,
  operation: PlannedStep["operation"],
  fields: readonly FieldChange[] = [],
): PlannedStep {
  const [kind = "", name = ""] = object.split(" ");
  return { kind, name, operation, retained: false, fields };
}

/** Of the Database `shop` with three members, of which the second one is primary. */
export const circumstances = (some: Partial<ConsequenceInputs> = {}): ConsequenceInputs => ({
  name: "shop",
  members: 3,
  primary: "shop-1",
  exists: true,
  isRebuilt: false,
  asked: [],
  noPlace: undefined,
  made: undefined,
  ...some,
});
