// What can be replayed behind a backup: read from the files as they are, and from what is noted of them.
import { join } from "node:path";
import { inOrder } from "../archive/decide";
import { Collected } from "../archive/collected";
import { arrivedIn, type Arrival } from "../archive/group-notes";
import { scanLog } from "../archive/scan";
import { contentsOf, sessionsOf, sortedOut, successorOf, type StoredSession } from "../archive/store";
import { intersects, isOf, ofOthers, ofSource, parseGtidSet, type GtidSet } from "../gtid";
import { microsecondsOf, momentText } from "./moment";
import { planOf, type Beyond, type Plan, type Problem, type ReadableLog } from "./plan";

/** What is to be restored, from where. */
export interface Wish {
  readonly label: string;
  readonly backups: string;
  /** The group of the backup. */
  readonly group: string;
  /** A moment in RFC 3339, or `last`. */
  readonly until: string;
}

/** Why a backup is not restored further, and what to do. */
export const noLogsBehind = (label: string): string =>
  `there are no binary logs behind ${label}: write spec.restore.backup, which needs none`;

/** All that there is would be what a decision gave up, and nothing of what was written since. */
function givenUp(label: string, arrived: Arrival | undefined): string {
  const moment = arrived === undefined ? "a moment from before that" : `pointInTime up to ${momentText(arrived.at)}`;
  return `the Database of ${label} continued as another group, after a decision or a restore in place: write ${moment}, or a later backup`;
}

/** What to do with a backup that has `all` transactions; or why that is not possible. */
export async function planFor({ label, backups, group, until }: Wish, all: GtidSet): Promise<Plan | Problem> {
  // before the logs: what arrives later is not among them
  const arrived = await arrivedIn(backups, group);
  const sessions = await sessionsOf(backups, group);
  if (sessions.length === 0 && arrived === undefined) return { problem: noLogsBehind(label), nothing: "none" };
  if (until === "last" && (await successorOf(backups, group)) !== undefined)
    return { problem: givenUp(label, arrived), nothing: "given up" };
  const found = await readableIn(sessions, group);
  const moment = until === "last" ? undefined : microsecondsOf(until);
  const executed = ofSource(all, group);
  const { order, stranded } = inOrder(executed, found);
  const logs = [...order, ...stranded];
  const beyond = await beyondIn({ all: found, inOrder: logs }, { group, executed, moment });
  const isKnown = { files: found, others: ofOthers(all, group) };
  return planOf({ label, executed, logs, moment, beyond, arrived, ...isKnown });
}

/** All files, in no order: what each needs tells that. Of one that is being written as much as is there now. */
export async function readableIn(sessions: readonly StoredSession[], group: string): Promise<ReadableLog[]> {
  const found: ReadableLog[] = [];
  for (const { directory, logs, open, servers } of sessions) {
    const own = logs.map((kept): ReadableLog => ({ ...kept, path: join(directory, kept.name) }));
    for (const name of open) {
      const path = join(directory, name);
      const { scan, transactions, latest } = await contentsOf(path);
      if (scan === undefined) continue;
      const { server, end } = scan;
      const inIt = { previous: parseGtidSet(scan.previous), transactions: transactions.all() };
      own.push({ path, server, end, ...sortedOut(inIt, { group, servers }), latest });
    }
    found.push(...own);
  }
  return found;
}

/** Looks for later ones: through the first file that has some, and through those of which the backup has something, though that is not read again. */
async function beyondIn(
  files: { readonly all: readonly ReadableLog[]; readonly inOrder: readonly ReadableLog[] },
  {
    group,
    executed,
    moment,
  }: { readonly group: string; readonly executed: GtidSet; readonly moment: number | undefined },
): Promise<Beyond> {
  const all = new Collected();
  const firsts = new Map<string, NonNullable<Beyond["first"]>>();
  const foreign = new Map<string, GtidSet>();
  const isLater = ({ latest }: ReadableLog): boolean => moment !== undefined && latest !== undefined && latest > moment;
  // all others come after the first, and the backup has nothing of them: they may be of many days
  const stopping = files.inOrder.find(isLater);
  const isRead = (file: ReadableLog): boolean => file === stopping || intersects(file.transactions, executed);
  for (const { path, end } of files.all.filter((file) => isLater(file) && isRead(file))) {
    if (moment === undefined) continue;
    const [before, after] = [new Collected(), new Collected()];
    let stop: string | undefined;
    const visit: Parameters<typeof scanLog>[1] = ({ gtid, committedAt }) => {
      const isBeyond = committedAt > moment && isOf(gtid, group);
      if (isBeyond) all.add(gtid);
      if (isBeyond) stop ??= gtid;
      else (stop === undefined ? before : after).add(gtid);
    };
    await scanLog(path, visit, end);
    if (stop !== undefined) firsts.set(path, { gtid: stop, path, before: before.of(group) });
    foreign.set(path, ofOthers(after.all(), group));
  }
  const first = files.inOrder.map(({ path }) => firsts.get(path)).find((found) => found !== undefined);
  return { first, all: all.of(group), foreign };
}
