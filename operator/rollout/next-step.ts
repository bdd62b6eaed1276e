// The next step of a rollout, from what is seen of the members: pure, and without a memory of former steps, so that it does
// not matter who took them, or whether the operator was restarted in between.
import type { AppliedWorkload } from "../domain/runner";
import type { Member, Workload } from "../domain/members";

/** What is known of one Database's members. */
export interface Situation<M extends Member = Member> {
  /** The Database's name. */
  readonly name: string;
  readonly workload: Workload | undefined;
  readonly members: readonly M[];
  /** The StatefulSet as the last run left it: what is seen of an older one says nothing about the present template. */
  readonly applied: AppliedWorkload | undefined;
  /** Whether the last run changed the members' template, a former one did, or none that is known of. */
  readonly changed: "now" | "before" | "never";
  /** Whether the database was never there yet: its application's role and database have not been created. Default: false. */
  readonly isFirst?: boolean;
}

/** What comes next. `text` says how far it is, and stays the same while the same member is on its way. */
export type RolloutStep<M extends Member = Member> =
  /** Every member has the present template; whether they serve is not asked. */
  | { readonly kind: "none" }
  /** `obstacle`: what keeps a member with the present template from coming back; no other member is touched until it does. */
  | { readonly kind: "wait"; readonly text: string; readonly obstacle?: string }
  /** `begun`: whether a member has the present template already. */
  | { readonly kind: "restart"; readonly member: M; readonly text: string; readonly begun: boolean }
  /** The first member with the present template does not start: no other one gets it. `isFirst`: no member ever had another one. */
  | { readonly kind: "rejected"; readonly member: M; readonly why: string; readonly isFirst?: true };

/** Ready, and not on its way out. */
export const serves = ({ ready, terminating }: Member): boolean => ready && !terminating;

/** It serves, and has reported as what. */
const isIn = (member: Member): boolean => serves(member) && member.role !== undefined;

/** See the header. */
export function nextStep<M extends Member>(situation: Situation<M>): RolloutStep<M> {
  const { workload } = situation;
  if (workload === undefined) return { kind: "none" };
  const view = viewOf(situation, workload);
  // the first pods come before the StatefulSet's first word about them
  if (workload.revision === "") return { kind: "none" };
  if (isOutdated(situation, workload)) {
    const isUnderway = situation.changed === "now" || view.outdated.length > 0;
    // of those that have the former template none is done
    return isUnderway ? { kind: "wait", text: textOf({ ...view, current: [] }) } : { kind: "none" };
  }
  const rejected = rejectionIn(view, situation);
  if (rejected !== undefined) return rejected;
  if (view.outdated.length === 0) return { kind: "none" };
  const broken = view.outdated.find((member) => mayGoAtOnce(member, view));
  return broken === undefined
    ? stepAmongServing(view)
    : { kind: "restart", member: broken, text: textOf(view, broken), begun: view.current.length > 0 };
}

/** Members from the highest number down. */
interface View<M extends Member> {
  readonly name: string;
  readonly wanted: number;
  readonly members: readonly M[];
  /** Created from the present template, or from another. */
  readonly current: readonly M[];
  readonly outdated: readonly M[];
}

const ordinalOf = ({ name }: Member): number => Number(name.slice(name.lastIndexOf("-") + 1));

function viewOf<M extends Member>({ name, members: all }: Situation<M>, { wanted, revision }: Workload): View<M> {
  const members = [...all].sort((left, right) => ordinalOf(right) - ordinalOf(left));
  // one that is too many goes by itself
  const lasting = members.filter((member) => ordinalOf(member) < wanted);
  return {
    ...{ name, wanted, members },
    current: lasting.filter((member) => member.revision === revision),
    outdated: lasting.filter((member) => member.revision !== revision),
  };
}

/** Whether the copy is of the past, or its controller has not looked yet: its template is not the one that was applied. */
export function isOutdated({ applied }: Pick<Situation, "applied">, { uid, generation, seen }: Workload): boolean {
  return !seen || (applied?.uid === uid && generation < applied.generation);
}

/**
 * No member serves with the present template, and one that should does not start. Where one ever served with it, it is not the
 * template that keeps another from starting; and several members all have it only after the first one has served.
 */
function rejectionIn<M extends Member>(
  view: View<M>,
  { changed, isFirst }: Pick<Situation, "changed" | "isFirst">,
): RolloutStep<M> | undefined {
  const { wanted, current, outdated } = view;
  const first = isFirst === true ? firstRejectionIn(view) : undefined;
  if (first !== undefined) return first;
  if (outdated.length === 0 && (wanted > 1 || changed === "never")) return undefined;
  if (current.some(({ served }) => served)) return undefined;
  const member = current.find(({ failure, terminating }) => failure !== undefined && !terminating);
  return member?.failure === undefined ? undefined : { kind: "rejected", member, why: member.failure };
}

/** At its very first start no member has ever served: what a server itself says then is about what it was given. */
function firstRejectionIn<M extends Member>({ members, outdated }: View<M>): RolloutStep<M> | undefined {
  if (outdated.length > 0 || members.some(({ served }) => served)) return undefined;
  const member = members.find(({ complaint, terminating }) => complaint !== undefined && !terminating);
  return member === undefined
    ? undefined
    : { kind: "rejected", member, why: member.failure ?? member.complaint ?? "", isFirst: true };
}

/**
 * Whether an outdated member that does not serve is restarted before its turn: one that cannot start whatever the others do, which is what
 * lets a corrected setting heal. One that merely starts, such as after a crash, is left to it where no other member is primary. As long as
 * any member serves, no second member is touched before the first is back, whatever keeps it away.
 */
function mayGoAtOnce(member: Member, view: View<Member>): boolean {
  const { members, current } = view;
  if (serves(member) || member.terminating) return false;
  // a member that starts is left alone; but one that may still start is not made into one that cannot
  if (!members.some(serves)) return isStuck(member) && !current.some(hasNoPlace);
  if (isAnotherAway(view)) return false;
  return isStuck(member) || members.some((other) => serves(other) && other.role === "primary");
}

const isStuck = ({ served, problem, failure }: Member): boolean =>
  failure !== undefined || (!served && problem !== undefined);

/** Whether one is on its way out or back. One that does not serve may still vote: two of three must not be away at once. */
const isAnotherAway = ({ members, current, wanted }: View<Member>): boolean =>
  members.length < wanted || members.some(({ terminating }) => terminating) || !current.every(serves);

/** It never ran, and something other than its server is in the way. */
const hasNoPlace = ({ served, problem, failure }: Member): boolean =>
  !served && problem !== undefined && failure === undefined;

/** The next of those that serve: only while all do, replicas before the primary. */
function stepAmongServing<M extends Member>(view: View<M>): RolloutStep<M> {
  const { members, wanted, outdated } = view;
  const isComplete = members.length === wanted && members.every(isIn);
  if (!isComplete) return { kind: "wait", text: textOf(view), ...obstacleIn(view) };
  const primaries = members.filter(({ role }) => role === "primary");
  if (wanted > 1 && primaries.length !== 1) return { kind: "wait", text: `${textOf(view)}; no member is primary yet` };
  const member = outdated.find(({ role }) => role !== "primary") ?? outdated[0];
  return member === undefined
    ? { kind: "none" }
    : { kind: "restart", member, text: textOf(view, member), begun: view.current.length > 0 };
}

/** The first member with the present template that something keeps from coming back. */
function obstacleIn({ current }: View<Member>): { readonly obstacle?: string } {
  const away = current.filter((member) => !serves(member) && !member.terminating);
  const stuck = away.find(({ problem, failure }) => problem !== undefined || failure !== undefined);
  return stuck === undefined
    ? {}
    : { obstacle: `${stuck.name} does not come back: ${stuck.failure ?? stuck.problem ?? ""}` };
}

/** `member`: whose turn it is. Default: the one that is away. */
function textOf(view: View<Member>, member?: Member): string {
  const { wanted, current } = view;
  const done = current.filter(isIn).length;
  const name = member?.name ?? awayIn(view);
  return name === undefined
    ? `restarting members: ${done} of ${wanted} done`
    : `restarting ${name}: ${done + 1} of ${wanted}`;
}

function awayIn({ name, wanted, members }: View<Member>): string | undefined {
  const away = members.find((member) => !isIn(member));
  if (away !== undefined) return away.name;
  const missing = Array.from({ length: wanted }, (_, ordinal) => wanted - 1 - ordinal).find(
    (ordinal) => !members.some((member) => ordinalOf(member) === ordinal),
  );
  return missing === undefined ? undefined : `${name}-${missing}`;
}
