// What is put on record of changes: what was agreed to, what waits, and since when. Pure.
import { approvalDays } from "../../contract/approvals";
import type { ChangePolicy } from "../api/change-policy";
import { pendingLimits, type PendingChange } from "../api/pending-change";
import type { Desired } from "../domain/desired";
import type { Foreseen } from "../domain/foreseen";
import {
  mostFormer,
  planNumber,
  type Agreed,
  type Pending,
  type Seen,
  type Standing,
  type Wished,
} from "../domain/pending";
import type { Accepted } from "../domain/accepted";
import type { StackRecord } from "../domain/records";
import { shortened } from "../domain/shortened";
import { authorIn, type Authored } from "./approval";
import { changesOf, consequencesOf, effectOf, isEdited, release } from "./shown";

const dayMs = 86_400_000;

/** A change as it is asked for. */
export interface AskedChange {
  readonly metadata: Authored;
  readonly desired: Desired;
  readonly wished: Wished;
  /** Of the code that would carry it out. */
  readonly release: string;
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
  const { pending: last, digest: applied } = record;
  const known = last?.wish === wished.wish ? last : undefined;
  const authors = authorsOf(record, asked);
  const pending: Pending = {
    ...wished,
    shown: { ...shownOf(record, plan, asked), ...datesOf(record, asked, now), ...requestedBy(authors) },
    ...{ former: formerPlans(last, plan), number: planNumber(record, wished.wish) },
    authors: authors && [...authors],
    ...{ applied, primary: plan.primary, late: last?.late },
    isApproved: known?.shown.digest === plan.digest && known.isApproved,
  };
  return { ...record, pending, plans: planNumber(record, wished.wish) };
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
function datesOf(
  record: StackRecord,
  asked: AskedChange,
  now: Date,
): Required<Pick<PendingChange, "since" | "approveBefore">> {
  const [since, until] = [now.getTime(), now.getTime() + approvalDays * dayMs].map(timeText) as [string, string];
  const { pending: last } = record;
  const known = last?.wish === asked.wished.wish ? last : undefined;
  if (known === undefined)
    return { since: waitsForRelease(record, asked) ? (last?.shown.since ?? since) : since, approveBefore: until };
  const { shown, late } = known;
  return { since: shown.since, approveBefore: (late === shown.digest ? undefined : shown.approveBefore) ?? until };
}

/** Whether what waited was a release, too, and none has come in: another one, or an edit on top, makes the wait no shorter. */
const waitsForRelease = (
  { pending: last, digest, release: running }: StackRecord,
  { release: next }: AskedChange,
): boolean => last?.shown.changes[0]?.path === release.path && last.applied === digest && running !== next;

/**
 * Who asked for it: of each edit since it began to wait. Empty where no edit of the Database did, but the platform or a shared ConfigMap; undefined
 * where it is not known.
 */
function authorsOf(record: StackRecord, { metadata, desired }: AskedChange): readonly string[] | undefined {
  const { pending: last } = record;
  const { generation } = metadata;
  if (!isEdited(beforeOf(record), desired)) return [];
  if (last?.shown.generation === generation) return last.authors;
  // of edits that no turn saw, as they came while it was paused, only the last one says who made it
  const isNext = (last?.shown.generation ?? letThrough(record)) + 1 === generation;
  const author = isNext ? authorIn(metadata) : undefined;
  const before = last === undefined ? [] : last.authors;
  return author === undefined || before === undefined ? undefined : [...new Set([...before, author])];
}

/** The generation up to which all edits that a turn saw were let through; 0 where that is not known. */
const letThrough = ({ seen, uid, history }: StackRecord): number =>
  Math.max(seen?.uid === uid ? seen.generation : 0, history[0]?.generation ?? 0);

/** The record once that edit was let through; the same where it says so already. */
export const withSeen = (record: StackRecord, { uid, generation }: Seen): StackRecord =>
  letThrough(record) === generation ? record : { ...record, seen: { uid, generation } };

/** What it is compared with: what runs, and the policy in force, which no run shows. */
const beforeOf = ({ accepted, agreed }: StackRecord): Accepted | undefined =>
  accepted && agreed ? { ...accepted, spec: { ...accepted.spec, changePolicy: agreed.policy } } : accepted;

function shownOf(
  record: StackRecord,
  plan: Plan,
  { metadata, desired, release }: AskedChange,
): Omit<PendingChange, "since"> {
  return {
    digest: plan.digest,
    effect: effectOf(plan.effects),
    generation: metadata.generation,
    // by the time, policy and approval of each look
    waitsFor: [],
    changes: changesOf(beforeOf(record), desired, { isOtherRelease: record.release !== release }),
    consequences: consequencesOf(plan.effects),
  };
}

/** Whether its plan is too old to be approved: then the same one gets another number. */
export const isTooOld = ({ shown, isApproved }: Pending, now: Date): boolean =>
  isApproved !== true && now.getTime() > Date.parse(shown.approveBefore ?? "");

/**
 * Whether the plan for what waits has moved, so that it needs another number: what moves back, as the primary does, must not bring back an approval
 * that was void.
 */
export const hasMoved = ({ pending, plans = 0 }: StackRecord, { digest, wish }: Plan): boolean =>
  pending?.wish === wish && pending.shown.digest !== digest && (pending.number ?? plans) === plans;

export const withMoved = (record: StackRecord): StackRecord => ({ ...record, plans: (record.plans ?? 0) + 1 });

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
  readonly approval: string | undefined;
  /** Whether that opens windows. */
  readonly isNow: boolean;
}

/** From now on all that serves it passes, until something else is asked for. */
export const withAgreed = (
  record: StackRecord,
  wished: Standing,
  { hasWaited, approval, isNow }: Let,
): StackRecord => ({
  ...withoutPending(record),
  agreed: { ...agreedTo(record.agreed, wished), used: approval ?? record.agreed?.used, hasWaited, isNow },
});

/** What is agreed to from now on; what came through last may be gone back to. */
export const agreedTo = (agreed: Agreed | undefined, wished: Standing): Agreed => ({
  ...wished,
  former: agreed && formerOf(agreed, wished),
  ...{ used: agreed?.used, hasWaited: agreed?.hasWaited },
  // it is tried again, by the same plan
  ...(agreed?.plan !== undefined && agreed.wish === wished.wish && { plan: agreed.plan, isNow: agreed.isNow }),
});

/** What came through last: what was agreed to before, unless that did not. */
function formerOf({ former, wish, policy, accepted }: Agreed, next: Wished): Standing | undefined {
  const came = former ?? { wish, policy, accepted };
  return came.wish === next.wish ? undefined : came;
}

/** What is agreed to once a run of it has succeeded: where nothing waits by any policy, it was asked for by the run alone. */
export const withRun = (agreed: Agreed | undefined, wished: Standing): Agreed =>
  agreed?.wish === wished.wish ? { ...agreed, accepted: wished.accepted } : { ...wished, used: agreed?.used };

/** Whether that is noted already, or, where nothing was agreed to, need not be. */
export const hasComeThrough = ({ agreed }: StackRecord, { wish }: Standing): boolean =>
  agreed === undefined || (agreed.wish === wish && agreed.former === undefined && agreed.plan === undefined);

/** The record once this has come through: it is not gone back from without a question, and what was agreed to beside it counts no more. */
export const withThrough = (record: StackRecord, { wish, policy, accepted }: Standing): StackRecord => ({
  ...record,
  agreed: { wish, policy, accepted, used: record.agreed?.used },
});

type Standings = Pick<StackRecord, "agreed" | "accepted">;

/** The Database's own policy, of what was agreed to, or ran last; undefined where it has none. */
export const ownPolicy = ({ agreed, accepted }: Standings): ChangePolicy | undefined =>
  agreed === undefined ? accepted?.spec.changePolicy : agreed.policy;

/** The same, or the platform's: an edit must not take it away with what it forbids. */
export const policyInForce = (record: Standings, platform: ChangePolicy): ChangePolicy => ownPolicy(record) ?? platform;
