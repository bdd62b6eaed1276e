// The program of a backup Job whose backups go to object storage: has pgBackRest take one, checks that it is whole there, and removes what
// retention does not keep. A backup is complete when pgBackRest lists it; what an attempt left that was killed, the next one resumes.
import { oldestOf, keptLabels, secondOf, tell } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { backupsIn, type Backup } from "./catalogue";
import { continuityOf } from "./continuity";
import { kindOf, type Source } from "./decide";
import { ownPlace, writeIdentity, type Place } from "./identity";
import { untilSource } from "./members";
import { membersOptions, PgBackRest } from "./pgbackrest";
import { expiryOf, type Expiry } from "./retention";
import { damageIn } from "./verification";

/** Runs the program. */
export async function backUp(): Promise<void> {
  process.title = "postgresql-object-backup";
  const place = ownPlace();
  const retention = requiredNumber("BACKUP_RETENTION");
  const fullEvery = requiredNumber("BACKUP_FULL_EVERY");
  await writeIdentity(place);
  const source = await untilSource(place, { user: required("PGUSER"), password: required("PGPASSWORD") });
  const { primary } = source;
  const storage = new PgBackRest(primary.cluster);
  await storage.run("stanza-create", membersOptions([primary.name], place));
  const listed = async (): Promise<readonly Backup[]> => backupsIn(await storage.run("info", ["--output=json"]));
  const before = await listed();
  const began = new Date();
  const member = await take(storage, source, { place, kind: kindOf(before, { fullEvery, retention }) });
  const newest = newestOf(await listed(), before);
  await verify(storage, newest);
  const kept = keptLabels();
  const expiry = expiryOf(await listed(), { newest: newest.label, retention, kept });
  for (const label of expiry.labels) await storage.run("expire", [`--set=${label}`]);
  await storage.run("expire", [
    `--repo1-retention-full=${expiry.fulls}`,
    "--repo1-retention-archive-type=full",
    `--repo1-retention-archive=${expiry.fullsWithWal}`,
  ]);
  const left = await listed();
  const earliest = await earliestOf(storage, left, expiry);
  const all = left.map(({ label, size }) => ({ name: label, bytes: size }));
  const base = newest.needs.find((label) => !label.includes("_"));
  const facts = {
    backup: newest.label,
    startedAt: secondOf(began),
    bytes: newest.size,
    storedBytes: newest.storedSize,
    member,
    cluster: primary.cluster,
    version: primary.version,
    location: required("BACKUP_LOCATION"),
    base: newest.isFull ? undefined : base,
    recoverableFrom: earliest && secondOf(new Date(earliest.stoppedAt * 1_000)),
    oldest: oldestOf(
      all.map(({ name }) => name),
      { newest: newest.label, retention, kept },
    ),
  };
  log("done", facts);
  await tell(facts, all);
}

/** The backup from which on a restore can go to any moment; of those that a person keeps, older WAL is not there. */
async function earliestOf(
  storage: PgBackRest,
  left: readonly Backup[],
  { oldest }: Expiry,
): Promise<Backup | undefined> {
  const withWal = left.filter(({ label }) => oldest !== undefined && label >= oldest.label);
  const { from, missing } = continuityOf(await storage.archived(), withWal);
  if (missing !== undefined) log("WAL is missing: no restore gets past it", { missing, recoverableFrom: from?.label });
  return from;
}

interface Taking {
  readonly place: Place;
  readonly kind: "full" | "diff";
}

/** Returns the member that was read. Where the replica fails, the primary is read by itself. */
async function take(storage: PgBackRest, { primary, replica }: Source, { place, kind }: Taking): Promise<string> {
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

function newestOf(after: readonly Backup[], before: readonly Backup[]): Backup {
  const known = new Set(before.map(({ label }) => label));
  const newest = after.findLast(({ label }) => !known.has(label));
  if (newest === undefined) throw new Error("pgBackRest does not list the backup that it has taken");
  return newest;
}

/** One that is not whole goes, so that nobody relies on it. */
async function verify(storage: PgBackRest, { label }: Backup): Promise<void> {
  const damage = damageIn(await storage.run("verify", [`--set=${label}`, "--output=text", "--verbose"]));
  if (damage === undefined) {
    log("verified", { label });
    return;
  }
  await storage.run("expire", [`--set=${label}`]);
  throw new Error(`the backup ${label} is not what was sent, and was removed: ${damage}`);
}
