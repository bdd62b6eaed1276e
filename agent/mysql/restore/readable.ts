// What can be replayed behind a backup: read from the files as they are, and from what is noted of them.
import { join } from "node:path";
import { inOrder } from "../archive/decide";
import { Collected } from "../archive/collected";
import { arrivedIn } from "../archive/group-notes";
import { scanLog } from "../archive/scan";
import { contentsOf, ofGroup, sessionsOf, type StoredSession } from "../archive/store";
import type { GtidSet } from "../gtid";
import { microsecondsOf } from "./moment";
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

/** What to do with a backup that has `executed`, of its group; or why that is not possible. */
export async function planFor({ label, backups, group, until }: Wish, executed: GtidSet): Promise<Plan | Problem> {
  // before the logs: what arrives later is not among them
  const arrived = await arrivedIn(backups, group);
  const found = await readableIn(await sessionsOf(backups, group), group);
  const moment = until === "last" ? undefined : microsecondsOf(until);
  const { order, stranded } = inOrder(executed, found);
  const logs = [...order, ...stranded];
  const beyond = await beyondIn({ all: found, inOrder: logs }, group, moment);
  return planOf({ label, executed, logs, moment, beyond, arrived });
}

/** All files, in no order: what each needs tells that. Of one that is being written as much as is there now. */
export async function readableIn(sessions: readonly StoredSession[], group: string): Promise<ReadableLog[]> {
  const found: ReadableLog[] = [];
  for (const { directory, logs, open } of sessions) {
    const own = logs.map((kept): ReadableLog => ({ ...kept, path: join(directory, kept.name) }));
    for (const name of open) {
      const path = join(directory, name);
      const { scan, transactions, latest } = await contentsOf(path);
      if (scan === undefined) continue;
      const { server, end } = scan;
      own.push({
        path,
        server,
        end,
        previous: ofGroup(scan.previous, group),
        transactions: transactions.of(group),
        latest,
      });
    }
    found.push(...own);
  }
  return found;
}

/** Looks through the files that have later ones. What a backup has of them is told by all, though what it has is not read again. */
async function beyondIn(
  files: { readonly all: readonly ReadableLog[]; readonly inOrder: readonly ReadableLog[] },
  group: string,
  moment: number | undefined,
): Promise<Beyond> {
  const all = new Collected();
  const firsts = new Map<string, NonNullable<Beyond["first"]>>();
  for (const { path, latest, end } of moment === undefined ? [] : files.all) {
    if (moment === undefined || latest === undefined || latest <= moment) continue;
    const before = new Collected();
    let stop: string | undefined;
    const visit: Parameters<typeof scanLog>[1] = ({ gtid, committedAt }) => {
      if (committedAt > moment) all.add(gtid);
      if (committedAt > moment) stop ??= gtid;
      else if (stop === undefined) before.add(gtid);
    };
    await scanLog(path, visit, end);
    if (stop !== undefined) firsts.set(path, { gtid: stop, path, before: before.of(group) });
  }
  const first = files.inOrder.map(({ path }) => firsts.get(path)).find((found) => found !== undefined);
  return { first, all: all.of(group) };
}
