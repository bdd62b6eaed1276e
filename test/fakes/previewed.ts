// What a preview found, for tests of what it says: steps of a run, and what is known beside them.
import type { Circumstances } from "../../operator/consequences/circumstances";
import type { MadeMembers } from "../../operator/consequences/revisions";
import type { FieldChange, PlannedStep } from "../../operator/domain/runner";
import { specOf } from "./specs";

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
export const circumstances = (some: Partial<Circumstances> = {}): Circumstances => ({
  name: "shop",
  members: 3,
  primary: "shop-1",
  needsAll: false,
  exists: true,
  isRebuilt: false,
  asked: [],
  specs: { before: specOf(), after: specOf() },
  began: "Off",
  isPaused: false,
  noPlace: undefined,
  made: undefined,
  ...some,
});

export const image = fieldChange("spec.template.spec.containers[postgresql].image", "i:1", "i:2");
export const configuration = (work_mem: string, synchronous_mode: boolean | "quorum" = false, more = {}): string =>
  JSON.stringify({ synchronous_mode, ...more, postgresql: { parameters: { work_mem } } });
/** Members of two revisions, of which the StatefulSet has the new one: `image` leads back to the old one. */
export const madeOf = (...revisions: readonly ("old" | "new")[]): MadeMembers => {
  const templateWith = (text: string): unknown => ({ spec: { containers: [{ name: "postgresql", image: text }] } });
  return {
    template: templateWith("i:1"),
    revisions: new Map([
      ["old", templateWith("i:2")],
      ["new", templateWith("i:1")],
    ]),
    members: new Map(revisions.map((revision, ordinal) => [`shop-${ordinal}`, revision])),
  };
};
export const parameter = fieldChange("metadata.annotations.config", configuration("4MB"), configuration("8MB"));
export const storage = fieldChange("spec.resources.requests.storage", "10Gi", "20Gi");
