// After an outage of all members: who may lead on. Nothing here is guessed; where it cannot be told, a person decides.
import { contains, noTransactions, parseGtidSet, union, type GtidSet } from "./gtid";
import { ordinalOf, type MemberReport } from "./observation";
import type { GroupRecord } from "./record";

/** Who may bootstrap the group. */
export type Leader =
  | { readonly kind: "leader"; readonly name: string }
  /** It may still be told once others are back. */
  | { readonly kind: "wait"; readonly why: string }
  /** It will not become clear by itself. */
  | { readonly kind: "person"; readonly why: string };

/** A member with data whose server answers. */
interface Candidate {
  readonly name: string;
  readonly transactions: GtidSet;
}

/**
 * Chooses among the members that were reached, this one included. The recorded primary and more than half of the recorded members must be
 * among them: then no transaction that was acknowledged to a client is missing in the greatest set.
 */
export function leaderAfterOutage(record: GroupRecord, reached: readonly MemberReport[]): Leader {
  const candidates = candidatesAmong(record, reached);
  const names = new Set(candidates.map(({ name }) => name));
  const missing = record.members.filter((name) => !names.has(name));
  if (record.primary !== undefined && !names.has(record.primary)) {
    return { kind: "wait", why: `the last primary ${record.primary} with its data is not there` };
  }
  if (2 * names.size <= record.members.length) {
    return { kind: "wait", why: `most members must be there, and ${missing.join(", ")} are not` };
  }
  return mostComplete(candidates, record.primary);
}

/** Recorded members with data: one whose files were lost and made anew knows nothing of what was acknowledged. */
function candidatesAmong(record: GroupRecord, reached: readonly MemberReport[]): Candidate[] {
  return reached.flatMap(({ name, server }) =>
    server.kind === "up" && !server.fresh && record.members.includes(name)
      ? [{ name, transactions: parseGtidSet(server.transactions) }]
      : [],
  );
}

function mostComplete(candidates: readonly Candidate[], primary: string | undefined): Leader {
  const all = candidates.reduce((sum, { transactions }) => union(sum, transactions), noTransactions);
  const complete = candidates.filter(({ transactions }) => contains(transactions, all)).map(({ name }) => name);
  const [lowest] = [...complete].sort((left, right) => ordinalOf(left) - ordinalOf(right));
  if (lowest === undefined) {
    const names = candidates.map(({ name }) => name).join(", ");
    return { kind: "person", why: `errant transactions: each of ${names} lacks some that another has` };
  }
  return { kind: "leader", name: primary !== undefined && complete.includes(primary) ? primary : lowest };
}
