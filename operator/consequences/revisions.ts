// Whether a change of the members' template leads back to one that members were created from already: those keep what they have. Pure.
import { valueOf } from "../api/quantity";
import { differencesOf, partOf } from "../objects/template-differences";
import { partsOf } from "../objects/paths";
import type { FieldChange } from "../domain/runner";

/** What members were created from. */
export interface MadeMembers {
  /** The template of the StatefulSet. */
  readonly template: unknown;
  /** The templates that it had, by the name of their revision. */
  readonly revisions: ReadonlyMap<string, unknown>;
  /** The revision of each member's pod, by the member's name. */
  readonly members: ReadonlyMap<string, string>;
}

/** The revision that the template has after `changes`, whose paths begin with `spec.template`; undefined for one that it never had. */
export function revisionAfter(
  changes: readonly FieldChange[],
  { template, revisions }: Pick<MadeMembers, "template" | "revisions">,
): string | undefined {
  const changed = changes.map((change) => ({ change, path: partsOf(change.path).slice(2) }));
  const found = [...revisions].find(([, revision]) => {
    const isMet = changed.every(({ change, path }) => holds(partOf(revision, path), change));
    // the API server fills in what is left out, below what was added
    return (
      isMet && differencesOf(template, revision).every((one) => changed.some(({ path }) => isBelow(one.path, path)))
    );
  });
  return found?.[0];
}

/** Whether what is at the place of a change is what the change leads to, with or without defaults in it. */
function holds(value: unknown, { after }: FieldChange): boolean {
  if (after === undefined) return value === undefined;
  return differencesOf(after, value).every((one) => one.before === undefined || isSameQuantity(one.before, one.after));
}

const isSameQuantity = (left: unknown, right: unknown): boolean =>
  typeof left === "string" && typeof right === "string" && valueOf(left) === valueOf(right);

const isBelow = (path: readonly string[], above: readonly string[]): boolean =>
  above.every((part, index) => path[index] === part);
