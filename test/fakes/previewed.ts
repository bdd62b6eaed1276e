// What a preview found, for tests of what it says: steps of a run, and what is known beside them.
import type { Circumstances } from "../../operator/preview/consequences";
import type { FieldChange, Step } from "../../operator/domain/runner";

export const fieldChange = (path: string, before: unknown, after: unknown): FieldChange => ({
  path,
  kind: "change",
  before,
  after,
});

/** `object`: kind and name, such as "StatefulSet shop". */
export function stepOf(object: string, operation: Step["operation"], fields: readonly FieldChange[] = []): Step {
  const [kind = "", name = ""] = object.split(" ");
  return { kind, name, operation, retained: false, fields };
}

/** Of the Database `shop` with three members, of which the second one is primary. */
export const circumstances = (some: Partial<Circumstances> = {}): Circumstances => ({
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
