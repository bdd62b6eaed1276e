// What is put on record of changes: what was agreed to, what waits, and since when. Pure.
import { approvalDays } from "../../contract/approvals";
import type { ChangePolicy } from "../api/change-policy";
import { pendingLimits, type PendingChange } from "../api/pending-change";
import type { Desired } from "../domain/desired";
import type { Foreseen } from "../domain/foreseen";
import { isSame, type Accepted } from "../domain/accepted";
import { mostFormer, planNumber, type Agreed, type Meant, type Pending, type Wished } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { shortened } from "../domain/shortened";
import { authorIn, type Authored } from "./approval";
import { changesOf, consequencesOf, effectOf } from "./shown";

const dayMs = 86_400_000;

/** A change as it is asked for. */
export interface AskedChange {
  readonly metadata: Authored;
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
  const { wish, policy } = asked.wished;
  const { pending: last, digest: applied } = record;
  const known = last?.wish === wish ? last : undefined;
  const authors = authorsOf(record, asked);
  const pending: Pending = {
    ...{ wish, ...(policy && { policy }) },
    shown: { ...shownOf(record, plan, asked), ...datesOf(known, now), ...requestedBy(authors) },
    former: formerPlans(last, plan),
    authors: authors && [...authors],
    ...{ applied, primary: plan.primary, late: last?.late },
    isApproved: known?.shown.digest === plan.digest && known.isApproved,
  };
  return { ...record, pending, plans: planNumber(record, wish) };
}

/** The latest first. */
function formerPlans(last: Pending | undefined, { digest }: Plan): string[] {
  if (last === undefined) return [];
  return [last.shown.digest, ...last.former].filter((one) => one !== digest).slice(0, mostFormer);
}

const requestedBy = (authors: readonly string[] | undefined): Pick<PendingChange, "requestedBy"> =>
  authors === undefined
    ? {}
    : { requestedBy: authors.slice(-pendingLimits.authors).map((author) => shortened(author, pendingLimits.user)) };

/** Since when it waits, and until when its plan can be approved: for as long again, where it was too old. */
function datesOf(known: Pending | undefined, now: Date): Pick<PendingChange, "since" | "approveBefore"> {
  const [since, until] = [now.getTime(), now.getTime() + approvalDays * dayMs].map(timeText) as [string, string];
  if (known === undefined) return { since, approveBefore: until };
  const { shown, late } = known;
  return { since: shown.since, approveBefore: (late === shown.digest ? undefined : shown.approveBefore) ?? until };
}

/**
 * Who asked for it: of each edit since it began to wait. Empty where no edit of the Database did, but the platform or a shared ConfigMap; undefined
 * where it is not known.
 */
function authorsOf(record: StackRecord, { metadata, desired }: AskedChange): readonly string[] | undefined {
  const { pending: last } = record;
  const before = runningIn(record);
  const isEdit = before === undefined || changesOf(before, desired).some(({ path }) => path.startsWith("spec."));
  if (!isEdit) return [];
  if (last?.shown.generation === metadata.generation) return last.authors;
  const author = authorIn(metadata);
  const earlier = last === undefined ? [] : last.authors;
  return author === undefined || earlier === undefined ? undefined : [...new Set([...earlier, author])];
}

/** What a change is held against: what ran last, with the policy in force, which may have come without a run. */
const runningIn = ({ accepted, agreed }: StackRecord): Accepted | undefined =>
  accepted && { ...accepted, spec: { ...accepted.spec, changePolicy: agreed?.policy } };

function shownOf(record: StackRecord, plan: Plan, { metadata, desired }: AskedChange): Omit<PendingChange, "since"> {
  return {
    digest: plan.digest,
    effect: effectOf(plan.effects),
    generation: metadata.generation,
    // by the time, policy and approval of each look
    waitsFor: [],
    changes: changesOf(runningIn(record), desired).slice(0, pendingLimits.changes),
    consequences: consequencesOf(plan.effects),
  };
}

/** Whether its plan is too old to be approved: then the same one gets another number. */
export const isTooOld = ({ shown, isApproved }: Pending, now: Date): boolean =>
  isApproved !== true && now.getTime() > Date.parse(shown.approveBefore ?? "");

export const withLate = (record: StackRecord): StackRecord => ({
  ...record,
  plans: (record.plans ?? 0) + 1,
  pending: record.pending && { ...record.pending, late: record.pending.shown.digest },
});

/** The record without the change that waited: an approval of it fits nothing that comes later. */
export const withoutPending = (record: StackRecord): StackRecord => ({
  ...record,
  plans: (record.plans ?? 0) + 1,
  pending: undefined,
});

/** What let a change through that a policy may hold back. `approval`: the one that was used. */
export interface Let {
  readonly hasWaited: boolean;
  readonly approval?: string | undefined;
}

/** From now on all that serves it passes, until something else is asked for. */
export const withAgreed = (record: StackRecord, wished: Meant, { hasWaited, approval }: Let): StackRecord => ({
  ...withoutPending(record),
  agreed: { ...withAttempt(record.agreed, wished), used: approval ?? record.agreed?.used, hasWaited },
});

/** The record once what came through last is wished for again: what was agreed to after it is so no more, and asks when it comes again. */
export const withBack = (record: StackRecord, wished: Meant): StackRecord => ({
  ...withoutPending(record),
  agreed: { ...wished, used: record.agreed?.used, hasWaited: record.agreed?.hasWaited },
});

/** What is agreed to once a run of it has failed: where no policy holds anything back, the run alone shows it. */
export const withAttempt = (agreed: Agreed | undefined, wished: Meant): Agreed =>
  agreed !== undefined && isAttemptAt(agreed, wished)
    ? { ...agreed, ...wished }
    : { ...wished, used: agreed?.used, former: agreed && formerOf(agreed, wished) };

/** The same once one has succeeded. */
export const withRun = (agreed: Agreed | undefined, wished: Meant): Agreed =>
  agreed !== undefined && isAttemptAt(agreed, wished) ? { ...agreed, ...wished } : { ...wished, used: agreed?.used };

/** What came through last: what was agreed to before, unless that did not. */
function formerOf({ former, wish, policy, accepted }: Agreed, next: Wished): Meant | undefined {
  const came = former ?? { wish, policy, accepted };
  return came.wish === next.wish ? undefined : came;
}

/** Whether it is the same once more; where it has not come through, be it of another release. */
const isAttemptAt = (agreed: Agreed, next: Meant): boolean =>
  agreed.wish === next.wish || (agreed.former !== undefined && isSameBut(agreed, next));

/** Whether they differ in nothing but the release. */
const isSameBut = ({ accepted: one }: Meant, { accepted: other }: Meant): boolean =>
  one !== undefined && other !== undefined && isSame(one, other);

/** How a wish is related to what was agreed to. */
export type Relation = "agreed" | "back" | "other";

/**
 * Whether it is what was agreed to, or leads back to what came through before that. Half of what a person or a window let through is
 * worse than the whole by another release.
 */
export function relationOf({ agreed, accepted }: StackRecord, wished: Meant): Relation {
  if (agreed === undefined) return "other";
  const { former, hasWaited } = agreed;
  const isHalf = accepted === undefined && hasWaited === true;
  const is = (one: Meant | undefined): boolean =>
    one !== undefined && (one.wish === wished.wish || (isHalf && isSameBut(one, wished)));
  if (is(agreed)) return "agreed";
  return is(former) ? "back" : "other";
}

/** The record once what was agreed to has come through: it is not gone back from without a question. */
export const withThrough = (record: StackRecord): StackRecord => ({
  ...record,
  agreed: record.agreed && { ...record.agreed, former: undefined },
});

/** The policy of what was agreed to, or ran last: an edit must not take it away with what it forbids. */
export function policyInForce(
  { agreed, accepted }: Pick<StackRecord, "agreed" | "accepted">,
  platform: ChangePolicy,
): ChangePolicy {
  return (agreed === undefined ? accepted?.spec.changePolicy : agreed.policy) ?? platform;
}
