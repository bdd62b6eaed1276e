// Which binary logs are replayed after a backup, and where that ends: pure. Sets of transactions are those of the group.
import type { Arrival } from "../archive/group-notes";
import { contains, gtidText, noTransactions, union, without, type GtidSet } from "../gtid";
import { momentText } from "./moment";

/** A file of the binary log that can be read. */
export interface ReadableLog {
  readonly path: string;
  readonly previous: GtidSet;
  readonly transactions: GtidSet;
  /** What came from outside of the group by then. Missing: nothing did. */
  readonly foreign?: GtidSet | undefined;
  /** When the latest of the group was committed, in microseconds. Missing: it has none. */
  readonly latest?: number | undefined;
  /** Version of its server. */
  readonly server: string;
  /** How many of its bytes count. Missing: all. */
  readonly end?: number | undefined;
}

/** What was found of transactions that were committed later than the moment. */
export interface Beyond {
  /** The first of them, in the order of the logs. */
  readonly first?: { readonly gtid: string; readonly path: string; readonly before: GtidSet } | undefined;
  readonly all: GtidSet;
  /** By path: what came from outside of the group after the first in that file. */
  readonly foreign?: ReadonlyMap<string, GtidSet>;
}

/** What is known. */
export interface Known {
  readonly label: string;
  /** What is in the backup. */
  readonly executed: GtidSet;
  /** What it has of other sources. Missing: nothing. */
  readonly others?: GtidSet;
  /** In the order in which they can be read, and then those that cannot (`inOrder`). */
  readonly logs: readonly ReadableLog[];
  /** All files, also those that bring nothing of the group. Missing: `logs`. */
  readonly files?: readonly ReadableLog[];
  /** In microseconds. Missing: to the end of what there is. */
  readonly moment?: number | undefined;
  readonly beyond: Beyond;
  /** Until when all that was committed has arrived. Missing: that was never so. */
  readonly arrived?: Arrival | undefined;
}

/** What to do. */
export interface Plan {
  readonly logs: readonly ReadableLog[];
  /** What the copy has afterwards, of its group. */
  readonly wanted: GtidSet;
  /** The transaction before which to end. Missing: none. */
  readonly stopBefore?: string | undefined;
}

/** Why there is nothing to do. */
export interface Problem {
  readonly problem: string;
  /** There is a gap, and all up to that moment is before it, in microseconds: a backup with more in it than is known may be behind the gap. */
  readonly before?: number;
  /** Why nothing behind the backup counts, where there is no gap. */
  readonly nothing?: "none" | "given up";
}

/** What to do, or why that is not possible. */
export function planOf(known: Known): Plan | Problem {
  const { label, executed, moment, beyond } = known;
  if (!isDisjoint(executed, beyond.all))
    return { problem: `${label} has changes that are later than ${momentText(moment ?? 0)}: write a later moment` };
  const end = endOf(known);
  if ("problem" in end) return end;
  const { logs, stop } = end;
  const needed = logs.filter(({ transactions, path }) => path === stop?.path || !contains(executed, transactions));
  const wanted = logs.reduce(
    (sum, { path, transactions }) => union(sum, path === stop?.path ? stop.before : transactions),
    executed,
  );
  return foreignProblem(known, wanted) ?? { logs: needed, wanted, stopBefore: stop?.gtid };
}

/** What came from outside of the group has no place in the order that its numbers tell, and its source's clock is another one. */
function foreignProblem(known: Known, wanted: GtidSet): Problem | undefined {
  const { label, others = noTransactions, logs, files = logs, beyond } = known;
  const across = (log: ReadableLog): GtidSet =>
    without(without(log.foreign ?? noTransactions, beyond.foreign?.get(log.path) ?? noTransactions), others);
  const found = files.filter((log) => contains(wanted, log.previous) && across(log).size > 0);
  const [first] = found;
  if (first === undefined) return undefined;
  const foreign = found.reduce((sum, log) => union(sum, across(log)), noTransactions);
  const earlier = files.filter(({ transactions }) => contains(first.previous, transactions));
  const before = Math.max(0, ...earlier.map(({ latest = 0 }) => latest));
  const until = before === 0 ? "" : `pointInTime up to ${momentText(before)}, or `;
  const problem = `what came from outside of the group is in the binary logs behind ${label}, and no restore gets past it: ${gtidText(foreign).slice(0, longestSet)}. Create the Database again with ${until}a later backup`;
  return { problem, before };
}

interface End {
  /** Up to the last that is read. */
  readonly logs: readonly ReadableLog[];
  readonly stop?: Beyond["first"];
}

function endOf(known: Known): End | Problem {
  const { executed, moment, beyond, label } = known;
  const read: ReadableLog[] = [];
  let [sum, latest] = [executed, 0];
  for (const log of known.logs) {
    // what was committed at the moment or before is before a gap
    if (!contains(sum, log.previous))
      return moment !== undefined && moment <= latest
        ? { logs: read }
        : gapProblem({ label, missing: without(log.previous, sum), latest });
    read.push(log);
    if (log.path === beyond.first?.path) return { logs: read, stop: beyond.first };
    sum = union(sum, log.transactions);
    latest = Math.max(latest, log.latest ?? 0);
  }
  return problemAtEnd(known, sum, latest) ?? { logs: read };
}

/** All logs lead to `reached`, and its last was committed at `latest`. */
function problemAtEnd({ label, moment, arrived }: Known, reached: GtidSet, latest: number): Problem | undefined {
  if (moment !== undefined && moment <= latest) return undefined;
  // logs that were there once, and are not found
  const lost = arrived === undefined ? undefined : without(arrived.executed, reached);
  if (lost !== undefined && lost.size > 0) return gapProblem({ label, missing: lost, latest });
  const problem = tooLateText(moment, Math.max(latest, arrived?.at ?? 0));
  return problem === undefined ? undefined : { problem };
}

/** `last`: all that was committed until then has arrived. */
const tooLateText = (moment: number | undefined, last: number): string | undefined =>
  moment === undefined || moment <= last
    ? undefined
    : `${momentText(moment)} is after what has arrived on the backup volume, which is all up to ${momentText(last)}: write that moment, or an earlier one`;

const longestSet = 200;

function gapProblem({ label, missing, latest }: { label: string; missing: GtidSet; latest: number }): Problem {
  const until = latest === 0 ? "" : `pointInTime up to ${momentText(latest)}, or `;
  const problem = `the binary logs behind ${label} have a gap, which no restore gets past: ${gtidText(missing).slice(0, longestSet)}. Create the Database again with ${until}spec.restore.backup, which leaves out what came after the backup`;
  return { problem, before: latest };
}

const isDisjoint = (one: GtidSet, other: GtidSet): boolean =>
  without(one, other).size === one.size && gtidText(without(one, other)) === gtidText(one);
