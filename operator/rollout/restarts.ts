// Whether members must restart because of a run, and why: from what it left, and what the run before left.
import { memberTemplateIn } from "../checkpoint/checkpoint";
import type { StackRecord } from "../domain/records";
import type { Checkpoint, AppliedWorkload } from "../domain/runner";
import { causeOf } from "./cause";

/** What a run left of the members. */
type Left = Pick<StackRecord, "workload"> & { readonly checkpoint: Checkpoint };

/** Undefined where none are necessary, or nothing is known of the run before. A StatefulSet that is as it was is not looked into. */
export function restartsOf(before: StackRecord, now: Left): string | undefined {
  const { checkpoint, workload } = before;
  if (checkpoint === undefined || isSame(workload, now.workload)) return undefined;
  const templates = [memberTemplateIn(checkpoint.text()), memberTemplateIn(now.checkpoint)] as const;
  if (templates.includes(undefined)) return undefined;
  return causeOf(...templates);
}

const isSame = (before: AppliedWorkload | undefined, now: AppliedWorkload | undefined): boolean =>
  before?.uid === now?.uid && before?.generation === now?.generation;
