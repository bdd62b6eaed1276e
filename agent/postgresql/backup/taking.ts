// Takes one backup and reads it back. A complete one that turns out damaged where it lies is replaced at once: all that is based on it would be, too.
import { log, textOf } from "../../log";
import { secondOf } from "../../backups";
import { backupsIn, damageMark, type Backup } from "./catalogue";
import { kindOf, type Rhythm, type Source } from "./decide";
import type { Place } from "./identity";
import { membersOptions, type PgBackRest } from "./pgbackrest";
import { damageIn, type Damage } from "./verification";

/** What is needed of pgBackRest. */
export type Storage = Pick<PgBackRest, "run">;

/** Of whom, and how often a full one. */
export interface Wish {
  readonly source: Source;
  readonly place: Place;
  readonly rhythm: Rhythm;
}

/** A backup that is whole where it lies. */
export interface Taken {
  readonly backup: Backup;
  /** The member that was read. */
  readonly member: string;
}

/** Those that are there, from the oldest on. */
export const listed = async (storage: Storage): Promise<readonly Backup[]> =>
  backupsIn(await storage.run("info", ["--output=json"]));

/** Throws where what was taken is not whole; then it is gone again. */
export async function takeWhole(storage: Storage, wish: Wish): Promise<Taken> {
  const first = await take(storage, wish, kindOf(await listed(storage), wish.rhythm));
  const damage = await damageAround(storage, first);
  if (damage === undefined) return whole(first);
  await remove(storage, first, damage);
  const base = baseOf(first.backup);
  if (base === undefined || !damage.labels.has(base)) throw notWhole(first, damage);
  log("the complete backup that others need is damaged where it lies: another one is taken at once", { label: base });
  // first, so that the next attempt knows it
  await mark(storage, base);
  const second = await take(storage, wish, "full");
  const more = await damageAround(storage, second);
  if (more === undefined) return whole(second);
  await remove(storage, second, more);
  throw notWhole(second, more);
}

/** The full backup that this one is based on; undefined for one itself. */
export const baseOf = ({ needs }: Backup): string | undefined => needs.find((label) => !label.includes("_"));

function whole(taken: Taken): Taken {
  log("verified", { label: taken.backup.label });
  return taken;
}

/**
 * Undefined where the backup is whole, and the complete one below it, of which it may not need what is damaged: the next ones might. What else is
 * wrong there is not its fault, where that is told. Throws where something could not be read: that is no damage.
 */
async function damageAround(storage: Storage, { backup }: Taken): Promise<Damage | undefined> {
  const { label } = backup;
  const damage = damageIn(await storage.run("verify", [`--set=${label}`, "--output=text", "--verbose"]));
  if (damage === undefined) return undefined;
  const { labels, unread, isWalDamaged, why } = damage;
  const own = [label, baseOf(backup)].filter((one) => one !== undefined);
  const isOthers = labels.size + unread.size > 0;
  if (own.some((one) => labels.has(one)) || (!isOthers && isWalDamaged)) return damage;
  if (own.some((one) => unread.has(one)) || !isOthers)
    throw new Error(`the backup ${label} could not be verified: ${why}`);
  log("other backups are damaged", { why });
  return undefined;
}

/** One that is not whole, or rests on what is not, goes, so that nobody relies on it. The only full one pgBackRest does not remove: it is marked. */
async function remove(storage: Storage, { backup: { label, isFull } }: Taken, { why }: Damage): Promise<void> {
  const others = (await listed(storage)).filter((other) => other.isFull && other.label !== label);
  if (isFull && others.length === 0) {
    log("what arrived is not whole, and is marked as damaged: the only complete one cannot be removed", { label, why });
    await mark(storage, label);
    return;
  }
  log("what arrived is not whole, and is removed", { label, why });
  await storage.run("expire", [`--set=${label}`]);
}

const mark = (storage: Storage, label: string): Promise<string> =>
  storage.run("annotate", [`--set=${label}`, `--annotation=${damageMark}=${secondOf(new Date())}`]);

const notWhole = ({ backup: { label } }: Taken, { why }: Damage): Error =>
  new Error(`the backup ${label} is not what was sent, and no restore takes it: ${why}`);

async function take(storage: Storage, wish: Wish, kind: "full" | "diff"): Promise<Taken> {
  const known = new Set((await listed(storage)).map(({ label }) => label));
  const member = await copy(storage, wish, kind);
  const backup = (await listed(storage)).findLast(({ label }) => !known.has(label));
  if (backup === undefined) throw new Error("pgBackRest does not list the backup that it has taken");
  return { backup, member };
}

/** Returns the member that was read. Where the replica fails, the primary is read by itself. */
async function copy(storage: Storage, { source, place }: Wish, kind: "full" | "diff"): Promise<string> {
  const { primary, replica } = source;
  const common = [`--type=${kind}`, "--no-expire-auto", ...annotations(place)];
  if (replica !== undefined) {
    log("the data of a replica are copied, so that the primary is spared", { member: replica.name, kind });
    try {
      const members = membersOptions([primary.name, replica.name], place);
      await storage.run("backup", [...common, "--backup-standby=y", ...members]);
      return replica.name;
    } catch (error) {
      log("copying from the replica failed", { why: textOf(error) });
    }
  }
  log("the data of the primary are copied", { member: primary.name, kind });
  await storage.run("backup", [...common, ...membersOptions([primary.name], place)]);
  return primary.name;
}

/** So that the list can be made again from the storage alone. */
const annotations = ({ database, namespace }: Place): readonly string[] =>
  Object.entries({ database: `${namespace}/${database}`, job: process.env["BACKUP_JOB"] ?? "" })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `--annotation=${name}=${value}`);
