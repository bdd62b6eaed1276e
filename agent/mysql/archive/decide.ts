// What follows from the binary logs that were kept, and from the backups beside them: pure. Sets of transactions are those of the group alone: what a
// single server did outside of it is no part of the database.
import { contains, gtidText, noTransactions, union, without, type GtidSet } from "../gtid";

/** A file of the binary log of which it is known what is in it, on disk. */
export interface KeptLog {
  readonly name: string;
  readonly bytes: number;
  /** Version of its server. */
  readonly server: string;
  /** What its server had executed before. */
  readonly previous: GtidSet;
  readonly transactions: GtidSet;
  /**
   * What came from outside of the group by then, as through a channel from another server: of sources that are no member's, which do not count. Missing:
   * nothing did.
   */
  readonly foreign?: GtidSet | undefined;
  /** When the latest of the group was committed, in microseconds. Missing: there are none. */
  readonly latest?: number | undefined;
  /** How many of its bytes count: what follows is no complete transaction. Missing: all. */
  readonly end?: number | undefined;
}

/** A time that a member was followed, without interruption. */
export interface Session {
  /** They count up. */
  readonly number: number;
  readonly member: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** What its member had executed before the first file. */
  readonly previous: GtidSet;
  /** In their order. */
  readonly logs: readonly KeptLog[];
}

/** A complete backup of the group. */
export interface Base {
  readonly name: string;
  readonly bytes: number;
  readonly transactions: GtidSet;
  /** What it has of other sources. Missing: nothing. */
  readonly others?: GtidSet | undefined;
  /** RFC 3339. */
  readonly copiedAt: string;
}

/** All transactions in these logs. */
export const transactionsIn = (sessions: readonly Session[]): GtidSet =>
  sessions.flatMap(({ logs }) => logs).reduce((sum, { transactions }) => union(sum, transactions), noTransactions);

/** What a file of the binary log has, and needs. */
export interface Chained {
  /** What is there before it is read. */
  readonly previous: GtidSet;
  readonly transactions: GtidSet;
}

/**
 * The order in which logs can be read on top of what is there: each needs nothing that is not there by then. What is `stranded` brings something, and
 * needs what nothing has. Members that were followed one after the other overlap, and one that was copied from another has logs that begin later.
 */
export function inOrder<T extends Chained>(
  executed: GtidSet,
  logs: readonly T[],
): { readonly order: readonly T[]; readonly stranded: readonly T[]; readonly reached: GtidSet } {
  const order: T[] = [];
  let [reached, rest, isStuck] = [executed, logs, false];
  while (!isStuck) {
    const left: T[] = [];
    for (const log of rest) {
      if (contains(reached, log.transactions)) continue;
      if (!contains(reached, log.previous)) {
        left.push(log);
        continue;
      }
      order.push(log);
      reached = union(reached, log.transactions);
    }
    isStuck = left.length === rest.length;
    rest = left;
  }
  return { order, stranded: rest, reached };
}

/** The first transactions behind a backup that are neither in it nor in a log; undefined where the logs lead from it to their end. */
export function holeBehind(
  { transactions }: Pick<Base, "transactions">,
  sessions: readonly Session[],
): GtidSet | undefined {
  const { stranded, reached } = inOrder(
    transactions,
    sessions.flatMap(({ logs }) => logs),
  );
  // of one that has begun no file may be complete yet
  const found = [...stranded, ...sessions].find(({ previous }) => !contains(reached, previous));
  return found && without(found.previous, reached);
}

/** What came from outside of the group and is not in the backup: where it belongs among the others is not known, and no restore gets past it. */
export const foreignBehind = (
  { others = noTransactions }: Pick<Base, "others">,
  sessions: readonly Session[],
): GtidSet =>
  sessions
    .flatMap(({ logs }) => logs)
    .reduce((sum, { foreign = noTransactions }) => union(sum, without(foreign, others)), noTransactions);

/** The oldest backup from which the logs lead to their end. `bases`: from old to new. */
export const earliestOf = (bases: readonly Base[], sessions: readonly Session[]): Base | undefined =>
  bases.find((base) => holeBehind(base, sessions) === undefined && foreignBehind(base, sessions).size === 0);

/** Logs of which a backup has everything: they lead from none on. */
export const coveredBy = (
  { transactions, others = noTransactions }: Pick<Base, "transactions" | "others">,
  { logs }: Pick<Session, "logs">,
): KeptLog[] =>
  logs.filter((log) => contains(transactions, log.transactions) && contains(others, log.foreign ?? noTransactions));

/** What a hole is called, in 64 characters at most. */
export function holeText(missing: GtidSet): string {
  const [first = "", ...others] = gtidText(missing).split(",");
  const [uuid = "", ...ranges] = first.split(":");
  const text = [uuid, ranges[0] ?? ""].join(":");
  return others.length + ranges.length > 1 ? `${text.slice(0, 60)}, …` : text.slice(0, 64);
}
