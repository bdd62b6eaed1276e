// Which backup a new Database begins with, or why none can: pure.
import { backupClaimName } from "../../components/naming";
import { factsOf } from "../../contract/engines";
import type { DatabaseBackup } from "../api/backups/object";
import { compareVersions } from "../api/catalogue";
import type { Restore } from "../api/restore";
import type { DatabaseSpec } from "../api/spec";
import type { DesiredRestore } from "../domain/desired";

/** What was found. */
export type RestoreSource =
  | { readonly kind: "found"; readonly restore: DesiredRestore; readonly database: string }
  /** It may still come. */
  | { readonly kind: "awaited"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/** `backups`: all of the namespace. */
export function restoreSourceOf(
  wish: Restore,
  spec: Pick<DatabaseSpec, "engine" | "version">,
  backups: readonly DatabaseBackup[],
): RestoreSource {
  const chosen =
    wish.backup === undefined ? newestOf(wish.from?.name ?? "", backups) : named(wish.backup.name, backups);
  if ("kind" in chosen) return chosen;
  const problem = problemOf(chosen, spec);
  if (problem !== undefined) return { kind: "refused", message: problem };
  const {
    metadata,
    spec: { database },
    status: { label = "" },
  } = chosen;
  return { kind: "found", database, restore: { backup: metadata.name, claim: backupClaimName(database), label } };
}

const isComplete = ({ status }: DatabaseBackup): boolean => status.phase === "Succeeded" && status.label !== undefined;

function newestOf(database: string, backups: readonly DatabaseBackup[]): DatabaseBackup | RestoreSource {
  const own = backups.filter(({ spec }) => spec.database === database);
  const [newest] = own
    .filter(isComplete)
    .sort((one, other) => (other.status.completedAt ?? "").localeCompare(one.status.completedAt ?? ""));
  const isRunning = own.some(({ status: { phase = "Pending" } }) => phase === "Pending" || phase === "Running");
  if (newest !== undefined) return newest;
  return {
    kind: "awaited",
    message: isRunning
      ? `waiting for the first backup of Database ${database}`
      : `there is no complete backup of a Database ${database} in this namespace; see kubectl get dbb`,
  };
}

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

/** With what the location of a backup on a volume begins. */
const volume = "volume ";

/** What else keeps it from being the data of this Database. */
function problemOf(
  { metadata, status }: DatabaseBackup,
  spec: Pick<DatabaseSpec, "engine" | "version">,
): string | undefined {
  const { engine, version, location = volume } = status;
  const what = `DatabaseBackup ${metadata.name}`;
  if (engine !== undefined && engine !== spec.engine)
    return `${what} is of engine ${engine}, and this Database of ${spec.engine}: create it again with engine: ${engine}`;
  if (!location.startsWith(volume))
    return `${what} is in ${location}: spec.restore reads backups on volumes; see docs/databases/restore.md for this one`;
  if (version === undefined) return undefined;
  const title = factsOf(spec.engine).title;
  const [major = ""] = version.split(".");
  if (major !== spec.version.split(".")[0])
    return `${what} is of ${title} ${version}, whose files ${title} ${spec.version} cannot read: write a version of ${major}`;
  return compareVersions(spec.version, version) < 0
    ? `${what} is of ${title} ${version}, which is newer than ${spec.version}: write ${version} or a later one of ${major}`
    : undefined;
}
