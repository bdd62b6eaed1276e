// What happened to the members of a Database since they were looked at last, and why: pure. Every look may be the first of an operator.
import { revisionLimits as limits } from "../api/revisions/limits";
import type { Incident, RevisionStatus, SeenMember } from "../api/revisions/status";
import { primaryOf, type Member } from "../domain/members";
import { shortened } from "../domain/shortened";

/** The members as a status has them. */
export type Seen = Pick<RevisionStatus, "members" | "primary" | "interruptedSince">;

export interface MembersLook {
  readonly members: readonly Member[];
  /** How many there are to be; undefined while that is not known. */
  readonly wanted: number | undefined;
  /** Revision of the template that pods are made from now; undefined while that is not known. */
  readonly template: string | undefined;
  /** What a member got that was made from another template, such as `revision 40: version 17.11 → 17.12`. */
  readonly change: string;
  /** Whether a turn is at work, whose change may not be on record yet: what comes of it is told once it is. */
  readonly isAtWork: boolean;
  readonly now: Date;
}

export interface Happened {
  readonly incidents: readonly Incident[];
  /** Missing where there is nothing to compare with yet. */
  readonly seen: Seen;
}

const timeText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

/** What is known of a member now, or is still known of one whose pod is not there for the moment. */
export function seenIn(before: readonly SeenMember[], look: MembersLook): readonly SeenMember[] {
  const { members, wanted, isAtWork } = look;
  const present = new Set(members.map(({ name }) => name));
  const absent = before.filter(({ name }) => !present.has(name) && (isAtWork || !isSurplus(name, wanted)));
  const seen = members.flatMap((member) => {
    const known = before.find(({ name }) => name === member.name);
    return isToldLater(known, member, look) ? (known ?? []) : seenMember(member);
  });
  return [...seen, ...absent]
    .toSorted((left, right) => ordinalOf(left.name) - ordinalOf(right.name))
    .slice(0, limits.members);
}

/** One that is new, or has another template. */
const isToldLater = (before: SeenMember | undefined, member: Member, { isAtWork }: MembersLook): boolean =>
  isAtWork && (before === undefined || hasAnotherTemplate(before, member));

const hasAnotherTemplate = ({ template }: SeenMember, { revision }: Member): boolean =>
  template !== undefined && revision !== "" && template !== revision;

function seenMember({ name, uid, revision, ends, disruption }: Member): SeenMember {
  return {
    ...{ name, uid: uid.slice(0, 63) },
    ...(revision !== "" && { template: revision.slice(0, 63) }),
    ...(ends !== undefined && ends > 0 && { ends }),
    ...(disruption !== undefined && { going: shortened(disruption, limits.message) }),
  };
}

const ordinalOf = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
const isSurplus = (name: string, wanted: number | undefined): boolean =>
  wanted !== undefined && ordinalOf(name) >= wanted;

/** See the header. `before`: of the last look; without members it was the first one. */
export function happenedSince(before: Seen, earlier: readonly Incident[], look: MembersLook): Happened {
  const former = before.members ?? [];
  const primary = primaryOf(look.members.filter(({ ready }) => ready))?.name;
  const at = timeText(look.now);
  const members = [...restartsSince(former, look), ...removalsSince(former, look)].map((one) => ({ at, ...one }));
  const known = [...earlier, ...members];
  const leading = leadershipSince(before, known, { primary, look });
  return {
    incidents: [...members, ...leading],
    seen: {
      members: [...seenIn(former, look)],
      ...seenPrimary(before, primary),
      ...(primary === undefined && before.primary !== undefined && { interruptedSince: before.interruptedSince ?? at }),
    },
  };
}

const seenPrimary = (before: Seen, primary: string | undefined): Pick<Seen, "primary"> => {
  const last = primary ?? before.primary;
  return last === undefined ? {} : { primary: last };
};

type Untimed = Omit<Incident, "at">;

function restartsSince(former: readonly SeenMember[], look: MembersLook): readonly Untimed[] {
  return look.members.flatMap((member): Untimed[] => {
    const before = former.find(({ name }) => name === member.name);
    if (isToldLater(before, member, look)) return [];
    if (before === undefined) return [{ kind: "Added", member: member.name, why: [look.change] }];
    if (before.uid !== member.uid)
      return [{ kind: "Restarted", member: member.name, why: whyAnother(before, member, look) }];
    if ((member.ends ?? 0) <= (before.ends ?? 0)) return [];
    const why = member.ending === undefined ? [] : [shortened(member.ending, limits.message)];
    return [{ kind: "Restarted", member: member.name, why }];
  });
}

const deletedText = "its pod was deleted; by whom is in the audit log of the API server";

/** Why a member has another pod. An eviction that gave it another template was the operator's, and only the way to that. */
function whyAnother(before: SeenMember, member: Member, { change }: MembersLook): string[] {
  if (hasAnotherTemplate(before, member)) return [change];
  return [before.going ?? deletedText];
}

function removalsSince(
  former: readonly SeenMember[],
  { members, wanted, change, isAtWork }: MembersLook,
): readonly Untimed[] {
  if (isAtWork) return [];
  const present = new Set(members.map(({ name }) => name));
  return former
    .filter(({ name }) => !present.has(name) && isSurplus(name, wanted))
    .map(({ name }) => ({ kind: "Removed", member: name, why: [change] }));
}

interface Leadership {
  readonly primary: string | undefined;
  readonly look: MembersLook;
}

function leadershipSince(before: Seen, known: readonly Incident[], { primary, look }: Leadership): readonly Incident[] {
  if (primary === undefined || before.primary === undefined) return [];
  const at = timeText(look.now);
  const why = whyNotLeading({ name: before.primary, seen: before.members ?? [] }, known, look);
  const interrupted: Incident[] =
    before.interruptedSince === undefined
      ? []
      : [
          {
            at,
            kind: "Interrupted",
            member: before.primary,
            seconds: secondsSince(before.interruptedSince, look.now),
            why: [...why],
          },
        ];
  const promoted: Incident[] =
    primary === before.primary ? [] : [{ at, kind: "Promoted", member: primary, why: [...why] }];
  return [...interrupted, ...promoted];
}

const secondsSince = (since: string, now: Date): number =>
  Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000));

/** Farther back nothing counts as why a primary leads no more, in milliseconds. */
const recentMs = 300_000;

interface FormerPrimary {
  readonly name: string;
  /** The members as they were seen before. */
  readonly seen: readonly SeenMember[];
}

/** From the nearest cause to the farthest. */
function whyNotLeading(
  { name, seen }: FormerPrimary,
  known: readonly Incident[],
  look: MembersLook,
): readonly string[] {
  const last = known.findLast(
    ({ member, kind, at }) =>
      member === name &&
      (kind === "Restarted" || kind === "Removed") &&
      look.now.getTime() - Date.parse(at) <= recentMs,
  );
  if (last !== undefined)
    return [`${name}, which led, was ${last.kind.toLowerCase()}`, ...last.why].slice(0, limits.reasons);
  const present = look.members.find((member) => member.name === name);
  if (present === undefined || present.terminating)
    return [
      `${name}, which led, is gone`,
      whyGoing(
        seen.find((member) => member.name === name),
        present,
        look,
      ),
    ];
  if (!present.ready)
    return [`${name}, which led, is not ready`, ...(present.problem === undefined ? [] : [present.problem])].map(
      (text) => shortened(text, limits.message),
    );
  return [`${name}, which led, hands over: it still runs`];
}

/** Why a pod goes that has no successor yet. One that is to have another template goes for the change, however it is made to. */
function whyGoing(
  seen: SeenMember | undefined,
  present: Member | undefined,
  { template = "", change }: MembersLook,
): string {
  if (isOutdated(present?.revision ?? seen?.template, template)) return change;
  return shortened(present?.disruption ?? seen?.going ?? deletedText, limits.message);
}

/** Both are empty where they are not known: then nothing follows. */
const isOutdated = (own = "", template: string): boolean => own !== "" && template !== "" && own !== template;
