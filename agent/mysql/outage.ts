// After an outage of all members: which one may lead. Nothing here is guessed; where it is unknown, a person decides.
import { contains, noTransactions, parseGtidSet, union, type GtidSet } from "./gtid";
import { ordinalOf, type MemberReport } from "./observation";
import type { GroupRecord } from "./record";

/** Which member may bootstrap the group. */
export type Leader =
  | { readonly kind: "leader"; readonly name: string }
  /** It may become known once others are back. */
  | { readonly kind: "wait"; readonly why: string }
  /** It will not become clear by itself. */
  | { readonly kind: "person"; readonly why: string };

/** A member with data whose server answers. */
interface Candidate {
  readonly name: string;
  readonly transactions: GtidSet;
}

/**
 * Chooses among the members that were reached, this one included. After a clean end the members with all that the group had are enough.
 * Otherwise the recorded primary and more than half of the recorded members must be among them: then no transaction that was acknowledged to
 * a client is missing in the greatest set. `wanted`: how many members the database is to have; others do not start.
 */
export function leaderAfterOutage(record: GroupRecord, reached: readonly MemberReport[], wanted: number): Leader {
  const candidates = candidatesAmong(record, reached);
  const whole = wholeAmong(record, candidates);
  const here = reached.map(({ name }) => name);
  if (whole !== undefined) return wholeLeader(record, whole, here, wanted);
  const names = new Set(candidates.map(({ name }) => name));
  const missing = record.members.filter((name) => !names.has(name));
  if (record.primary !== undefined && !names.has(record.primary)) {
    return absent(`the last primary ${record.primary} with its data is not there`, record, wanted);
  }
  if (2 * names.size <= record.members.length) {
    return absent(`most members must be available, and ${missing.join(", ")} are not`, record, wanted);
  }
  return mostComplete(candidates, record.primary);
}

/** Recorded members with data: one whose files were lost and created again knows nothing of what was acknowledged. */
function candidatesAmong(record: GroupRecord, reached: readonly MemberReport[]): Candidate[] {
  return reached.flatMap(({ name, server }) =>
    server.kind === "up" && !server.fresh && record.members.includes(name)
      ? [{ name, transactions: parseGtidSet(server.transactions) }]
      : [],
  );
}

/**
 * Those that have what the group had when it ended cleanly. Undefined where that is unknown: nothing is noted, or a member has more, as it
 * may where an old record was restored after the group had continued.
 */
function wholeAmong({ ended }: GroupRecord, candidates: readonly Candidate[]): string[] | undefined {
  if (ended === undefined) return undefined;
  const all = parseGtidSet(ended.transactions);
  if (candidates.some(({ transactions }) => !contains(all, transactions))) return undefined;
  return candidates.filter(({ transactions }) => contains(transactions, all)).map(({ name }) => name);
}

/** It is known what the group had, so no majority of members can replace what all of them lack. */
function wholeLeader(
  record: GroupRecord,
  whole: readonly string[],
  reached: readonly string[],
  wanted: number,
): Leader {
  // a member that has already claimed it is not disturbed by one that came later
  if (whole.length > 0) return { kind: "leader", name: firstOf(whole, record.bootstrapping ?? record.primary) };
  const why = "no available member has everything that the group had when it ended";
  const missing = record.members.filter((name) => !reached.includes(name));
  if (missing.length === 0) return { kind: "person", why };
  const whyWithNames = `${why}, and ${missing.join(", ")} may have it`;
  const mayEnd = missing.some((name) => ordinalOf(name) < wanted);
  return mayEnd ? { kind: "wait", why: whyWithNames } : notWanted(whyWithNames, record, wanted);
}

/** Where the missing ones are not even wanted, waiting does not help. */
function absent(why: string, record: GroupRecord, wanted: number): Leader {
  const { members, primary } = record;
  const coming = members.filter((name) => ordinalOf(name) < wanted);
  const mayEnd = (primary === undefined || coming.includes(primary)) && 2 * coming.length > members.length;
  return mayEnd ? { kind: "wait", why } : notWanted(why, record, wanted);
}

/** Members beyond the wanted number do not start by themselves. */
function notWanted(why: string, { members }: GroupRecord, wanted: number): Leader {
  const all = Math.max(...members.map(ordinalOf)) + 1;
  const cure = `set spec.replicas to ${all} until the Database is ready, then to ${wanted} again`;
  return { kind: "person", why: `${why}. What they have may be missing here: ${cure}` };
}

function mostComplete(candidates: readonly Candidate[], primary: string | undefined): Leader {
  const all = candidates.reduce((sum, { transactions }) => union(sum, transactions), noTransactions);
  const complete = candidates.filter(({ transactions }) => contains(transactions, all)).map(({ name }) => name);
  if (complete.length === 0) {
    const names = candidates.map(({ name }) => name).join(", ");
    return { kind: "person", why: `errant transactions: each of ${names} lacks some that another has` };
  }
  return { kind: "leader", name: firstOf(complete, primary) };
}

/** This one, if it is among them, or else the lowest ordinal. */
function firstOf(names: readonly string[], preferred: string | undefined): string {
  const [lowest = ""] = [...names].sort((left, right) => ordinalOf(left) - ordinalOf(right));
  return preferred !== undefined && names.includes(preferred) ? preferred : lowest;
}
