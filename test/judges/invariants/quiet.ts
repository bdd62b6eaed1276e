// Once a Database is at rest, the operator writes nothing about it but what another client caused, that it has become another release, that
// certificates were due, or that the window opened which a change of it had waited for.
import { concerns, isOfHistory, isRenewal, isStatus, makesHistory, reachOf, subjectOf, type Subject } from "./about";
import { keyOf, type AuditedWrite, type Invariant, type Key, type Snapshot, type WatchedDatabase } from "./snapshot";
import { absencesOf, spansOf, uncovered, type Span } from "./spans";
import { standingOf } from "./standing";

export const quiet: Invariant = {
  name: "quiet",
  promise: "about a Database at rest, the operator writes only what another client, or another release of it, caused",
  judge: (snapshot) => {
    const { writes, watched } = snapshot;
    if (writes === undefined || watched === undefined) return undefined;
    return summaries(unexplained(writes, watched, snapshot), writes);
  },
};

/**
 * In milliseconds. `answer`: how long after its cause the operator may write, at times when it runs and is not at work on
 * something else; `again`: as much later where no watch shows the cause, and it looks again from time to time, or where it has
 * become another release, which previews what it would do to all Databases before it writes. `rest`:
 * as long before the turn that brought a Database to rest, and during it, a cause may have come too late for that turn. `busy`: as
 * long before and after each of its writes it is at work on what that is about. `renewals`: what is issued again sooner than that was not due.
 */
const patienceMs = { answer: 10_000, again: 15_000, rest: 3000, busy: 2000, renewals: 3000 };

function unexplained(
  writes: readonly AuditedWrite[],
  watched: readonly WatchedDatabase[],
  { operatorUser, operator }: Pick<Snapshot, "operatorUser" | "operator">,
): AuditedWrite[] {
  const done = writes.filter(({ code }) => code < 400);
  const isOwn = ({ user }: AuditedWrite): boolean => user === operatorUser;
  const own = done.filter((write) => isOwn(write) && write.resource !== "leases");
  const leases = done.filter((write) => isOwn(write) && write.resource === "leases");
  const at: Circumstances = {
    subjects: subjectsIn(watched),
    rests: spansOf(watched, isAtRest),
    works: spansOf(watched, isAtWork),
    conflicts: spansOf(watched, isInConflict),
    causes: done.filter((write) => !isOwn(write)),
    openings: openingsIn(watched),
    releases: operator?.releases ?? [],
    absences: absencesOf(operator ?? { starts: [], stops: [] }, leases),
    own,
  };
  return own.filter((write) => isUnexplained(write, at));
}

interface Circumstances {
  readonly subjects: readonly Subject[];
  readonly rests: ReadonlyMap<Key, readonly Span[]>;
  readonly works: ReadonlyMap<Key, readonly Span[]>;
  /** When a name that it needs belonged to another owner. */
  readonly conflicts: ReadonlyMap<Key, readonly Span[]>;
  /** What others wrote, in order. */
  readonly causes: readonly AuditedWrite[];
  /** When windows opened that changes waited for. */
  readonly openings: ReadonlyMap<Key, readonly number[]>;
  /** When it became another release: that declares children otherwise, or says other things of them. */
  readonly releases: readonly number[];
  readonly absences: readonly Span[];
  /** What the operator wrote. */
  readonly own: readonly AuditedWrite[];
}

function subjectsIn(watched: readonly WatchedDatabase[]): Subject[] {
  const found = new Map<Key, { readonly database: WatchedDatabase["database"]; readonly sources: Set<string> }>();
  for (const { database } of watched) {
    const known = found.get(keyOf(database)) ?? { database, sources: new Set() };
    if (database.spec.configFrom !== "") known.sources.add(database.spec.configFrom);
    found.set(keyOf(database), known);
  }
  return [...found.values()].map(({ database, sources }) => subjectOf(database, sources));
}

/** A change that was replaced or withdrawn before its window opened takes that along. */
function openingsIn(watched: readonly WatchedDatabase[]): ReadonlyMap<Key, readonly number[]> {
  const found = new Map<Key, readonly number[]>();
  for (const { at, database } of watched) {
    const [key, opens] = [keyOf(database), database.windowOpensAt];
    const isOther = (later: WatchedDatabase): boolean =>
      keyOf(later.database) === key && later.at > at && later.database.windowOpensAt !== opens;
    if (opens === undefined || watched.some((later) => later.at < opens && isOther(later))) continue;
    found.set(key, [...(found.get(key) ?? []), opens]);
  }
  return found;
}

const isAtRest = ({ database, deleted }: WatchedDatabase): boolean => !deleted && standingOf(database) !== "underWay";
const isAtWork = ({ database, deleted }: WatchedDatabase): boolean => !deleted && standingOf(database) === "underWay";

/** The operator watches its own children alone: that another owner's object has gone no watch shows. */
const isInConflict = ({ database, deleted }: WatchedDatabase): boolean =>
  !deleted &&
  database.conditions.some(
    ({ type, status, reason }) => type === "Stalled" && status === "True" && reason === "NameConflict",
  );

/** One name can be that of children of two Databases: whichever of them it was written for explains it. */
function isUnexplained(write: AuditedWrite, at: Circumstances): boolean {
  const concerned = at.subjects.filter((subject) => concerns(write, subject));
  const isDuring = (spans: ReadonlyMap<Key, readonly Span[]>, { key }: Subject): boolean =>
    spanAt(write.at, spans.get(key)) !== undefined;
  if (concerned.some((subject) => isDuring(at.works, subject))) return false;
  const resting = concerned.filter((subject) => isDuring(at.rests, subject));
  return resting.length > 0 && resting.every((subject) => !hasCause(write, subject, at));
}

const spanAt = (time: number, spans: readonly Span[] = []): Span | undefined =>
  spans.find(({ from, to }) => from < time && time < to);

/** When the turn began that brought the Database to rest: on a busy machine it takes seconds. */
function turnBefore(write: AuditedWrite, { key }: Subject, { rests, works }: Circumstances): number {
  const rest = spanAt(write.at, rests.get(key))?.from ?? 0;
  return works.get(key)?.find(({ to }) => to === rest)?.from ?? rest;
}

/** What was caused before the turn that brought a Database to rest is answered by that. */
function hasCause(write: AuditedWrite, subject: Subject, at: Circumstances): boolean {
  const { conflicts, releases, absences, own } = at;
  const last = causeOf(write, subject, at);
  if (last === undefined) return false;
  const busy = own
    .filter((one) => one.at > last - patienceMs.busy && one.at <= write.at && !concerns(one, subject))
    .map((one): Span => ({ from: one.at - patienceMs.busy, to: one.at + patienceMs.busy }));
  // a revision that could not be made is tried again from time to time
  const isAgain = isOfHistory(write) && write.verb === "create";
  const isLate = isAgain || releases.includes(last) || spanAt(write.at, conflicts.get(subject.key)) !== undefined;
  const patience = patienceMs.answer + (isLate ? patienceMs.again : 0);
  return uncovered({ from: last, to: write.at }, [...absences, ...busy]) <= patience;
}

/** When the last thing happened before it that can be why, in milliseconds since 1970. */
function causeOf(write: AuditedWrite, subject: Subject, at: Circumstances): number | undefined {
  const since = turnBefore(write, subject, at) - patienceMs.rest;
  const isBefore = (time: number): boolean => time <= write.at && time > since;
  const ofHistory = isOfHistory(write);
  const enough = ofHistory || isStatus(write) ? ["all", "status"] : ["all"];
  const others = at.causes.findLast(
    (cause) =>
      isBefore(cause.at) && (enough.includes(reachOf(cause, subject)) || (ofHistory && makesHistory(cause, subject))),
  );
  // what the operator itself has done is told in the history once it is done; that it did it has its own cause
  const done = ofHistory
    ? at.own.findLast((one) => isBefore(one.at) && !isOfHistory(one) && concerns(one, subject))
    : undefined;
  const renewals = at.own.filter((one) => one.at <= write.at && isRenewal(one, subject)).map((one) => one.at);
  const opened = at.openings.get(subject.key)?.findLast(isBefore);
  const times = [others?.at, done?.at, opened, at.releases.findLast(isBefore), dueIn(renewals, isBefore)].filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The last of these that no other one came right before. */
const dueIn = (renewals: readonly number[], isBefore: (time: number) => boolean): number | undefined =>
  renewals.findLast((time, index) => isBefore(time) && time - (renewals[index - 1] ?? -Infinity) > patienceMs.renewals);

function summaries(unexplained: readonly AuditedWrite[], all: readonly AuditedWrite[]): string[] {
  const found = new Map<string, AuditedWrite[]>();
  for (const write of unexplained) found.set(textOf(write), [...(found.get(textOf(write)) ?? []), write]);
  return [...found].flatMap(([what, [first, ...more]]) => {
    const times = more.length === 0 ? "once" : `${more.length + 1} times`;
    return first === undefined ? [] : [`${what}, ${times}, at rest; ${beforeOf(first, all)}`];
  });
}

const textOf = ({ verb, resource, subresource, namespace, name }: AuditedWrite): string =>
  `${verb} of ${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;

/** When it was written, and what others had written there last: a run's output may be all that is left of it. */
function beforeOf({ at, user, namespace }: AuditedWrite, all: readonly AuditedWrite[]): string {
  const there = all.filter((one) => one.namespace === namespace && one.user !== user && one.at <= at);
  const before = there
    .slice(-3)
    .map((one) => `${((at - one.at) / 1000).toFixed(1)} s after ${textOf(one)} by ${one.user} (${one.code})`);
  return [new Date(at).toISOString(), ...before].join(", ");
}
