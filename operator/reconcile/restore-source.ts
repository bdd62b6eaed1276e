// Which backup a new Database begins with, or why none can: pure.
import { backupClaimName } from "../../components/naming";
import { factsOf, type EngineName } from "../../contract/engines";
import type { DatabaseBackup } from "../api/backups/object";
import { compareVersions } from "../api/catalogue";
import { isSentAlong } from "../api/point-in-time";
import type { Restore } from "../api/restore";
import type { DatabaseSpec } from "../api/spec";
import { locationOf, untilBackup, untilLast, type BackupStorage, type DesiredRestore } from "../domain/restore";

/** A backup, wherever it is. */
type BackupOrigin = Exclude<DesiredRestore, { readonly server: unknown }>;

/** What was found. */
export type RestoreSource =
  | { readonly kind: "found"; readonly restore: BackupOrigin }
  /** Object storage of which another Database knows more has it. */
  | { readonly kind: "stored"; readonly backup: DatabaseBackup; readonly until: string }
  /** It may still come. */
  | { readonly kind: "awaited"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/** `backups`: all of the namespace. */
export function restoreSourceOf(
  wish: Restore,
  spec: Pick<DatabaseSpec, "engine" | "version">,
  backups: readonly DatabaseBackup[],
): RestoreSource {
  if (wish.s3 !== undefined) return { kind: "found", restore: inBucket(wish.s3, untilIn(wish, spec.engine)) };
  if (wish.volume !== undefined) return { kind: "found", restore: onVolume(wish.volume) };
  const chosen = wish.backup === undefined ? ofDatabase(wish, backups) : named(wish.backup.name, backups);
  if ("kind" in chosen) return chosen;
  const problem = problemOf(chosen, spec);
  if (problem !== undefined) return { kind: "refused", message: problem };
  const isInStorage = isStored(chosen);
  const until = untilOf(wish, isInStorage ? endOf(spec.engine) : untilLast);
  return isInStorage ? { kind: "stored", backup: chosen, until } : withChanges(chosen, until);
}

/** A certain backup is restored as it is. `end`: where no moment is named. */
const untilOf = ({ backup, pointInTime }: Restore, end: string): string =>
  backup === undefined ? (pointInTime ?? end) : untilBackup;

/** Where no changes were kept behind the backup, it is all that there is. */
function withChanges(backup: DatabaseBackup, until: string): RestoreSource {
  const { metadata, spec, status } = backup;
  const restore = {
    ...{ backup: metadata.name, claim: backupClaimName(spec.database), label: status.label ?? "" },
    ...(until !== untilBackup && hasChanges(backup) && { until }),
  };
  return { kind: "found", restore };
}

/** Of a volume nothing but what the spec says is known here, neither: what is on it the Job sees. */
const onVolume = ({ claim, label }: NonNullable<Restore["volume"]>): BackupOrigin => ({
  claim: claim.name,
  ...(label !== undefined && { label }),
});

/** Of a bucket nothing but what the spec says is known here: the Job finds out the rest. */
function inBucket(
  { cluster, label, credentials, ca, encryption, ...place }: NonNullable<Restore["s3"]>,
  until: string,
): BackupOrigin {
  const storage = {
    ...{ ...place, credentials: credentials.name },
    ...(ca !== undefined && { ca: ca.name }),
    ...(encryption !== undefined && { encryption: encryption.secret.name }),
  };
  return {
    stored: { storage, ...(cluster !== undefined && { cluster }), ...(label !== undefined && { label }), until },
  };
}

/** Of a certain backup as it is. */
const untilIn = ({ s3, pointInTime }: Restore, engine: EngineName): string =>
  s3?.label === undefined ? (pointInTime ?? endOf(engine)) : untilBackup;

/** Up to where a restore from object storage goes where no moment is named. */
const endOf = (engine: EngineName): string => (isSentAlong(engine) ? untilLast : untilBackup);

/** The same with what is known of the object storage, or why that is not enough. */
export function storedIn(
  storage: BackupStorage | undefined,
  { backup: { metadata, spec, status }, until }: Extract<RestoreSource, { kind: "stored" }>,
): RestoreSource {
  const { location = "", label, cluster } = status;
  if (storage === undefined || locationOf(storage) !== location) {
    const why = storage === undefined ? "says nothing of object storage" : `is about ${locationOf(storage)} now`;
    const message = `DatabaseBackup ${metadata.name} is in ${location}, and ConfigMap ${spec.database}-backup ${why}: write spec.restore.s3 instead`;
    return { kind: "refused", message };
  }
  const restore = { backup: metadata.name, database: spec.database, stored: { storage, cluster, label, until } };
  return { kind: "found", restore };
}

const isComplete = ({ status }: DatabaseBackup): boolean => status.phase === "Succeeded" && status.label !== undefined;

/** One that was found on a volume says when it began alone. */
const timeOf = ({ status: { completedAt, startedAt = "" } }: DatabaseBackup): string => completedAt ?? startedAt;

function ofDatabase(
  { from, pointInTime }: Restore,
  backups: readonly DatabaseBackup[],
): DatabaseBackup | RestoreSource {
  const database = from?.name ?? "";
  const own = backups.filter(({ spec }) => spec.database === database);
  const complete = own.filter(isComplete).sort((one, other) => timeOf(other).localeCompare(timeOf(one)));
  const isRunning = own.some(({ status: { phase = "Pending" } }) => phase === "Pending" || phase === "Running");
  const [newest] = complete;
  if (newest !== undefined) return pointInTime === undefined ? newest : before(pointInTime, database, complete);
  return {
    kind: "awaited",
    message: isRunning
      ? `waiting for the first backup of Database ${database}`
      : `there is no complete backup of a Database ${database} in this namespace; see kubectl get dbb`,
  };
}

/** The newest backup from which changes lead to the moment. `complete`: the newest first. */
function before(
  pointInTime: string,
  database: string,
  complete: readonly DatabaseBackup[],
): DatabaseBackup | RestoreSource {
  const isReached = (time: string | undefined): boolean =>
    time !== undefined && Date.parse(time) <= Date.parse(pointInTime);
  const stored = complete.filter((backup) => isStoredWithChanges(backup) || hasChanges(backup));
  const earliestOf = earliestByPlace(stored);
  const reached = stored.filter(({ status }) => isReached(status.completedAt));
  // it was whole before it was verified
  const candidates =
    reached.length > 0 ? reached : stored.filter(({ status }) => isReached(status.recoverableFrom)).slice(-1);
  // one that a person keeps outlives the changes behind it; behind others they are there up to a gap, of which the Job knows
  const found = candidates.find((backup) => !backup.spec.keep || isReached(earliestOf.get(placeOf(backup))));
  if (found !== undefined) return found;
  const [newest] = candidates;
  const earliest = newest === undefined ? [...earliestOf.values()].sort()[0] : earliestOf.get(placeOf(newest));
  return {
    kind: "refused",
    message:
      earliest === undefined
        ? `pointInTime needs what changed between backups, and of Database ${database} that was not kept: create the Database again without it`
        : `${pointInTime} is before the first backup of Database ${database} that is left with all changes after it: the earliest moment is ${earliest}. Create the Database again with a later one`,
  };
}

/** From when on each cluster in each place can be restored to any moment, as the newest backup there says. `stored`: the newest first. */
function earliestByPlace(stored: readonly DatabaseBackup[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const backup of stored.toReversed()) {
    const { recoverableFrom, completedAt = "" } = backup.status;
    found.set(placeOf(backup), recoverableFrom ?? found.get(placeOf(backup)) ?? completedAt);
  }
  return found;
}

const placeOf = ({ status: { location = "", cluster = "" } }: DatabaseBackup): string => `${location} ${cluster}`;

function named(name: string, backups: readonly DatabaseBackup[]): DatabaseBackup | RestoreSource {
  const found = backups.find(({ metadata }) => metadata.name === name);
  if (found === undefined)
    return { kind: "awaited", message: `there is no DatabaseBackup ${name} in this namespace; see kubectl get dbb` };
  if (isComplete(found)) return found;
  const { phase = "Pending" } = found.status;
  if (phase === "Pending" || phase === "Running")
    return { kind: "awaited", message: `waiting for DatabaseBackup ${name}, which is ${phase}` };
  return {
    kind: "refused",
    message:
      phase === "Failed"
        ? `DatabaseBackup ${name} failed: create the Database again with another one`
        : `which backup DatabaseBackup ${name} records was not read before its pod had gone: create the Database again with another one`,
  };
}

/** Whether what changed after it was kept on its volume. */
const hasChanges = ({ status }: DatabaseBackup): boolean =>
  status.recoverableFrom !== undefined && status.location?.startsWith("volume ") === true;

const isStored = ({ status }: DatabaseBackup): boolean => status.location?.startsWith("s3://") === true;

/** Whether what changed after it is there as well. */
const isStoredWithChanges = (backup: DatabaseBackup): boolean =>
  isStored(backup) && (backup.status.engine === undefined || isSentAlong(backup.status.engine));

/** What else keeps it from being the data of this Database. */
function problemOf(
  { metadata, status }: DatabaseBackup,
  spec: Pick<DatabaseSpec, "engine" | "version">,
): string | undefined {
  const { engine, version } = status;
  const what = `DatabaseBackup ${metadata.name}`;
  if (engine !== undefined && engine !== spec.engine)
    return `${what} is of engine ${engine}, and this Database of ${spec.engine}: create it again with engine: ${engine}`;
  if (version === undefined) return undefined;
  const title = factsOf(spec.engine).title;
  const [major = ""] = version.split(".");
  if (major !== spec.version.split(".")[0])
    return `${what} is of ${title} ${version}, which ${title} ${spec.version} does not take in: write a version of ${major}`;
  return compareVersions(spec.version, version) < 0
    ? `${what} is of ${title} ${version}, which is newer than ${spec.version}: write ${version} or a later one of ${major}`
    : undefined;
}
