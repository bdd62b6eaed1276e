// With which file of which member to begin. The newest file before which nothing is missing is enough, on any member; where each of them has
// removed what is needed, as little as possible is lost.
import { textOf } from "../../log";
import { contains, noTransactions, union, without, type GtidSet } from "../gtid";
import { earliestOf, inOrder, transactionsIn, type Base, type Session } from "./decide";

/** A file of a member's binary log. */
export interface MemberLog {
  readonly name: string;
  readonly previous: GtidSet;
}

/** A member that was asked. */
export interface Asked {
  readonly host: string;
  /** From old to new: the newest, as far back as is needed. */
  readonly logs: readonly MemberLog[];
}

/** Where to begin. */
export interface Start {
  readonly host: string;
  readonly log: MemberLog;
}

/**
 * What is there to go on from, the best first: what the logs lead to from the oldest backup from which they lead to their end, so that no moment
 * since then is lost; else from the newest backup; else all there is. `bases`: from old to new.
 */
export function footholds(bases: readonly Base[], sessions: readonly Session[]): GtidSet[] {
  const logs = sessions.flatMap((session) => session.logs);
  const newest = bases.at(-1);
  const chained = [earliestOf(bases, sessions), newest].filter((base) => base !== undefined);
  const all = union(transactionsIn(sessions), newest?.transactions ?? noTransactions);
  return [...chained.map(({ transactions }) => inOrder(transactions, logs).reached), all];
}

/** A file before which nothing of one of these is missing, of the first member that has one. */
export function startAmong(asked: readonly Asked[], known: readonly GtidSet[]): Start | undefined {
  for (const foothold of known)
    for (const { host, logs } of asked) {
      const log = logs.findLast(({ previous }) => contains(foothold, previous));
      if (log !== undefined) return { host, log };
    }
  return undefined;
}

/** Where all lack something: the oldest file before which the fewest transactions are missing. */
export function leastLoss(asked: readonly Asked[], known: GtidSet): Start | undefined {
  const oldest = asked.flatMap(({ host, logs }) => logs.slice(0, 1).map((log) => ({ host, log })));
  const lost = ({ log }: Start): number => countOf(without(log.previous, known));
  return oldest.sort((one, other) => lost(one) - lost(other))[0];
}

/** Asks a member for its files, as far back as is needed by who has `known`. */
type Ask = (host: string, known: GtidSet) => Promise<Asked["logs"]>;

/**
 * Asks one member after the other, until one has what leads on. Throws where one that may have it cannot be asked: rather than to lose what that has,
 * it is asked again.
 */
export async function findStart(hosts: readonly string[], known: readonly GtidSet[], ask: Ask): Promise<Start> {
  const [best = noTransactions] = known;
  const asked: Asked[] = [];
  let silent: string | undefined;
  for (const host of hosts) {
    const logs = await ask(host, best).catch((error: unknown) => {
      silent = `${host} cannot be asked for its binary logs: ${textOf(error)}`;
      return [];
    });
    const found = startAmong([{ host, logs }], [best]);
    if (found !== undefined) return found;
    asked.push({ host, logs });
  }
  if (silent !== undefined) throw new Error(silent);
  const found = startAmong(asked, known) ?? leastLoss(asked, known.at(-1) ?? best);
  if (found === undefined) throw new Error("no member has binary logs");
  return found;
}

const countOf = (set: GtidSet): number => [...set.values()].flat().reduce((sum, [from, to]) => sum + to - from + 1, 0);
