// What is put on record of changes: what was agreed to, what waits, and since when. Pure.
import { approvalDays } from "../../contract/approvals";
import type { ChangePolicy } from "../api/change-policy";
import type { PendingChange } from "../api/pending-change";
import type { DatabaseMetadata } from "../api/object";
import type { Desired } from "../domain/desired";
import type { Foreseen } from "../domain/foreseen";
import { mostFormer, planNumber, type Agreed, type Pending, type Wished } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { authorIn } from "./approval";
import { changesOf, consequencesOf, effectOf } from "./shown";

const dayMs = 86_400_000;

/** A change as it is asked for. */
export interface AskedChange {
  readonly metadata: Pick<DatabaseMetadata, "annotations" | "generation">;
  readonly desired: Desired;
  readonly wished: Wished;
}

type Plan = Extract<Foreseen, { kind: "plan" }>;

const timeText = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

/** The record with a change that waits, by its plan of now. */
export function withPending(
  record: StackRecord,
  plan: Plan,
  asked: AskedChange,
  now: Date,
): StackRecord & { pending: Pending } {
  const { wished } = asked;
  const authors = authorsOf(record, asked);
  const last = record.pending;
  const known = last?.wish === wished.wish ? last : undefined;
  const moved = last === undefined || last.shown.digest === plan.digest ? [] : [last.shown.digest];
  const former = [...moved, ...(last?.former ?? [])].filter((one) => one !== plan.digest).slice(0, mostFormer);
  const pending: Pending = {
    ...wished,
    shown: shownOf(record, plan, asked, { now, author: authors?.at(-1) }),
    former,
    ...(authors !== undefined && { authors: [...authors] }),
    ...(record.digest !== undefined && { applied: record.digest }),
    ...(plan.primary !== undefined && { primary: plan.primary }),
    ...(last?.late !== undefined && { late: last.late }),
    ...(known?.shown.digest === plan.digest && known.isApproved === true && { isApproved: true }),
  };
  return { ...record, pending, plans: planNumber(record, wished.wish) };
}

/**
 * Who asked for it: of each edit since it began to wait. Empty where no edit of the Database did, but the platform or a shared ConfigMap; undefined
 * where it is not known.
 */
function authorsOf(
  { pending: last, accepted }: StackRecord,
  { metadata: { annotations, generation }, desired }: AskedChange,
): readonly string[] | undefined {
  const isEdit = accepted === undefined || changesOf(accepted, desired).some(({ path }) => path.startsWith("spec."));
  if (!isEdit) return [];
  if (last?.shown.generation === generation) return last.authors;
  const author = authorIn(annotations, generation);
  const before = last === undefined ? [] : last.authors;
  return author === undefined || before === undefined ? undefined : [...new Set([...before, author])];
}

function shownOf(
  record: StackRecord,
  plan: Plan,
  { metadata, desired, wished }: AskedChange,
  { now, author }: { readonly now: Date; readonly author: string | undefined },
): PendingChange {
  const { pending: last, accepted, agreed } = record;
  const known = last?.wish === wished.wish ? last : undefined;
  const isTooOld = known !== undefined && known.late === known.shown.digest;
  const until = isTooOld ? undefined : known?.shown.approveBefore;
  return {
    digest: plan.digest,
    effect: effectOf(plan.effects),
    since: known?.shown.since ?? timeText(now.getTime()),
    generation: metadata.generation,
    ...(author !== undefined && { requestedBy: author }),
    // by the time, policy and approval of each look
    waitsFor: [],
    approveBefore: until ?? timeText(now.getTime() + approvalDays * dayMs),
    changes: changesOf(accepted && { ...accepted, spec: { ...accepted.spec, changePolicy: agreed?.policy } }, desired),
    consequences: consequencesOf(plan.effects),
  };
}

/** Whether its plan is too old to be approved: then the same one gets another number. */
export const isTooOld = ({ shown, isApproved }: Pending, now: Date): boolean =>
  isApproved !== true && now.getTime() > Date.parse(shown.approveBefore ?? "");

export const withLate = ({ pending, plans = 0, ...record }: StackRecord): StackRecord => ({
  ...record,
  plans: plans + 1,
  pending: pending && { ...pending, late: pending.shown.digest },
});

/** The record without the change that waited: an approval of it fits nothing that comes later. */
export const withoutPending = ({ pending: _, plans = 0, ...record }: StackRecord): StackRecord => ({
  ...record,
  plans: plans + 1,
});

/** From now on all that serves it passes, until something else is asked for. `approval`: the one that was used. */
export function withAgreed(record: StackRecord, wished: Wished, approval?: string): StackRecord {
  const { agreed } = record;
  const used = approval ?? agreed?.used;
  const former = agreed && formerOf(agreed, wished);
  const next: Agreed = { ...wished, ...(former && { former }), ...(used !== undefined && { used }) };
  return { ...withoutPending(record), agreed: next };
}

/** What came through last: what was agreed to before, unless that did not. */
function formerOf({ former, wish, policy }: Agreed, next: Wished): Wished | undefined {
  const came = former ?? { wish, ...(policy && { policy }) };
  return came.wish === next.wish ? undefined : came;
}

/** What is agreed to once a run of it has succeeded: where nothing waits by any policy it was asked for by the run alone. */
export function withRun(agreed: Agreed | undefined, wished: Wished): Agreed {
  if (agreed?.wish === wished.wish) return agreed;
  return { ...wished, ...(agreed?.used !== undefined && { used: agreed.used }) };
}

/** The record once what was agreed to has come through: it is not gone back from without a question. */
export function withThrough({ agreed, ...record }: StackRecord): StackRecord {
  if (agreed === undefined) return record;
  const { former: _, ...through } = agreed;
  return { ...record, agreed: through };
}

/** The policy of what was agreed to, or ran last: an edit must not take it away with what it forbids. */
export function policyInForce(
  { agreed, accepted }: Pick<StackRecord, "agreed" | "accepted">,
  platform: ChangePolicy,
): ChangePolicy {
  return (agreed === undefined ? accepted?.spec.changePolicy : agreed.policy) ?? platform;
}
