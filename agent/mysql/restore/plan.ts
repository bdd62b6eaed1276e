// Which binary logs are replayed after a backup, and where that ends: pure. Sets of transactions are those of the group.
import { contains, gtidText, union, without, type GtidSet } from "../gtid";
import { momentText } from "./moment";

/** A file of the binary log that can be read. */
export interface ReadableLog {
  readonly path: string;
  readonly previous: GtidSet;
  readonly transactions: GtidSet;
  /** When the latest was committed, in microseconds. Missing: it has none. */
  readonly latest?: number | undefined;
}

/** What was found of transactions that were committed later than the moment. */
export interface Beyond {
  /** The first of them, in the order of the logs. */
  readonly first?: { readonly gtid: string; readonly path: string; readonly before: GtidSet } | undefined;
  readonly all: GtidSet;
}

/** What is known. */
export interface Known {
  readonly label: string;
  /** What is in the backup. */
  readonly executed: GtidSet;
  /** In the order in which they can be read, and then those that cannot (`inOrder`). */
  readonly logs: readonly ReadableLog[];
  /** In microseconds. Missing: to the end of what there is. */
  readonly moment?: number | undefined;
  readonly beyond: Beyond;
  /** All that was committed until then has arrived, in microseconds. Missing: that was never so. */
  readonly arrivedAt?: number | undefined;
}

/** What to do. */
export interface Plan {
  readonly paths: readonly string[];
  /** What the copy has afterwards, at least. */
  readonly wanted: GtidSet;
  /** The transaction before which to end. Missing: none. */
  readonly stopBefore?: string | undefined;
}

/** What to do, or why that is not possible. */
export function planOf(known: Known): Plan | { readonly problem: string } {
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
  return { paths: needed.map(({ path }) => path), wanted, stopBefore: stop?.gtid };
}

interface End {
  /** Up to the last that is read. */
  readonly logs: readonly ReadableLog[];
  readonly stop?: Beyond["first"];
}

function endOf({ executed, logs, moment, beyond, arrivedAt, label }: Known): End | { readonly problem: string } {
  const read: ReadableLog[] = [];
  let [sum, latest] = [executed, 0];
  for (const log of logs) {
    if (!contains(sum, log.previous)) {
      // what was committed at the moment or before is before the gap
      if (moment !== undefined && moment <= latest) return { logs: read };
      return { problem: gapText({ label, missing: without(log.previous, sum), latest }) };
    }
    read.push(log);
    if (log.path === beyond.first?.path) return { logs: read, stop: beyond.first };
    sum = union(sum, log.transactions);
    latest = Math.max(latest, log.latest ?? 0);
  }
  const problem = tooLateText(moment, Math.max(latest, arrivedAt ?? 0));
  return problem === undefined ? { logs: read } : { problem };
}

/** `last`: all that was committed until then has arrived. */
const tooLateText = (moment: number | undefined, last: number): string | undefined =>
  moment === undefined || moment <= last
    ? undefined
    : `${momentText(moment)} is after what has arrived on the backup volume, which is all up to ${momentText(last)}: write that moment, or an earlier one`;

const longestSet = 200;

function gapText({ label, missing, latest }: { label: string; missing: GtidSet; latest: number }): string {
  const until = latest === 0 ? "" : `pointInTime up to ${momentText(latest)}, or `;
  return `the binary logs behind ${label} have a gap, which no restore gets past: ${gtidText(missing).slice(0, longestSet)}. Create the Database again with ${until}spec.restore.backup, which leaves out what came after the backup`;
}

const isDisjoint = (one: GtidSet, other: GtidSet): boolean =>
  without(one, other).size === one.size && gtidText(without(one, other)) === gtidText(one);
