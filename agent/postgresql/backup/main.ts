// The program of a backup Job whose backups go to object storage: has pgBackRest take one, checks that it is whole there, and removes what
// retention does not keep. A backup is complete when pgBackRest lists it; what an attempt left that was killed, the next one resumes.
import { oldestOf, keptLabels, secondOf, tell } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log } from "../../log";
import { isWholeIn, type Backup } from "./catalogue";
import { continuityOf } from "./continuity";
import { ownPlace, writeIdentity } from "./identity";
import { untilSource } from "./members";
import { membersOptions, PgBackRest } from "./pgbackrest";
import { expiryOf, type Expiry } from "./retention";
import { baseOf, listed, takeWhole } from "./taking";

/** How many damaged ones are told, the newest. */
const mostDamaged = 20;

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
  const began = new Date();
  const { backup: newest, member } = await takeWhole(storage, { source, place, rhythm: { fullEvery, retention } });
  const kept = keptLabels();
  const expiry = expiryOf(await listed(storage), { newest: newest.label, retention, kept });
  for (const label of expiry.labels) await storage.run("expire", [`--set=${label}`]);
  await storage.run("expire", [
    `--repo1-retention-full=${expiry.fulls}`,
    "--repo1-retention-archive-type=full",
    `--repo1-retention-archive=${expiry.fullsWithWal}`,
  ]);
  const left = await listed(storage);
  const earliest = await earliestOf(storage, left, expiry);
  const present = left.map(({ label, size, stoppedAt }) => ({ label, bytes: size, completedAt: timeOf(stoppedAt) }));
  const damaged = left.filter(({ isDamaged }) => isDamaged).map(({ label }) => label);
  const facts = {
    backup: newest.label,
    startedAt: secondOf(began),
    bytes: newest.size,
    storedBytes: newest.storedSize,
    member,
    cluster: primary.cluster,
    version: primary.version,
    location: required("BACKUP_LOCATION"),
    base: baseOf(newest),
    damaged: damaged.length > 0 ? damaged.slice(-mostDamaged) : undefined,
    recoverableFrom: earliest && timeOf(earliest.stoppedAt),
    oldest: oldestOf(
      left.map(({ label }) => label),
      { newest: newest.label, retention, kept },
    ),
  };
  log("done", facts);
  await tell(facts, present);
}

/** `seconds`: since the epoch. */
const timeOf = (seconds: number): string => secondOf(new Date(seconds * 1_000));

/** The backup from which on a restore can go to any moment; of those that a person keeps, older WAL is not there. */
async function earliestOf(
  storage: PgBackRest,
  left: readonly Backup[],
  { oldest }: Expiry,
): Promise<Backup | undefined> {
  const withWal = left.filter(isWholeIn(left)).filter(({ label }) => oldest !== undefined && label >= oldest.label);
  const { from, missing } = continuityOf(await storage.archived(), withWal);
  if (missing !== undefined) log("WAL is missing: no restore gets past it", { missing, recoverableFrom: from?.label });
  return from;
}
