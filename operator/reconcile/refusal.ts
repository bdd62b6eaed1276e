// Why a run must not begin although the spec was accepted: asked by the reconcile, and by a preview, which tells the same.
import { judgeChange } from "./judge";
import { refuseRepair, type Look } from "./drift";
import { stalled, type Outcome } from "./outcome";
import type { Desired } from "../stack/desired";
import type { Children, Key, StackRecord } from "../ports";

export interface Intent {
  readonly desired: Desired;
  readonly record: StackRecord | undefined;
  readonly look: Look;
  /** Whether a ready member is primary. */
  readonly hasPrimary: boolean;
}

/** What stands in the way; undefined when nothing does. */
export async function refusalOf(
  key: Key,
  { desired, record, look, hasPrimary }: Intent,
  children: Pick<Children, "conflicts">,
): Promise<Outcome | undefined> {
  const refused = judgeChange(record?.declared, desired.spec) ?? refuseRepair(look.drift, desired, hasPrimary);
  if (refused !== undefined) return refused;
  const conflicts = await children.conflicts(key, look.trusted);
  return conflicts.length > 0 ? stalled("NameConflict", nameConflict(conflicts)) : undefined;
}

/** What is said of objects that have a child's name and belong to somebody else. */
export function nameConflict(conflicts: readonly string[]): string {
  return `not made by this Database, and left as it is: ${conflicts.join(", ")}; remove it or choose another name`;
}
