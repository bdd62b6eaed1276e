// How a Database fares, as data: what `-o json` prints, and what the text is made of. Pure.
import type { Condition } from "../../operator/api/status";
import { isDamaged, momentOf, newestFirst, type SeenBackup } from "../objects/backup";
import { conditionOf, isSeen, stateOf, unwell, type SeenDatabase, type State } from "../objects/database";
import type { SeenPending } from "../objects/pending";

/** What one object of the list says. */
export interface Standing {
  readonly namespace: string;
  readonly name: string;
  readonly state: State;
  /** Whether it can be used, whatever else is said. */
  readonly ready: boolean;
  readonly engine: string;
  readonly version: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly primary?: string;
  readonly endpoint?: string;
  readonly credentialsSecret?: string;
  readonly createdAt?: string;
  readonly lastChange?: NonNullable<SeenDatabase["status"]["lastChange"]>;
  /** Those that are not well, or say that something is in progress. */
  readonly conditions: readonly Condition[];
  /** Set where the operator has not looked at what was written last. */
  readonly unseenGeneration?: number;
  /** The change that waits for approval or a window. */
  readonly pendingChange?: SeenPending;
  readonly upgrade?: NonNullable<SeenDatabase["status"]["upgrade"]>;
  readonly backup: BackupStanding;
}

/** What is known of backups. */
export interface BackupStanding {
  readonly enabled: boolean;
  readonly schedule?: string;
  readonly last?: LastBackup;
  /** Why the last one failed, or there is none. */
  readonly problem?: string;
  /** The earliest moment that a restore can go back to. */
  readonly recoverableFrom?: string;
}

export interface LastBackup {
  readonly name: string;
  readonly completedAt: string;
  /** In bytes; missing where its DatabaseBackup was not read. */
  readonly size?: number;
  /** When a drill restored it, or the newest one that a drill restored. */
  readonly verifiedAt?: string;
  /** Whether a drill found that it is no good. */
  readonly isDamaged?: boolean;
}

export function standingOf(database: SeenDatabase, backups: readonly SeenBackup[] = []): Standing {
  const { metadata, spec, status } = database;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: stateOf(database),
    ready: conditionOf(database, "Ready")?.status === "True",
    engine: spec.engine,
    version: status.version ?? spec.version,
    replicas: spec.replicas,
    readyReplicas: status.readyReplicas ?? 0,
    primary: status.primary,
    endpoint: status.endpoint,
    credentialsSecret: status.credentialsSecret,
    createdAt: metadata.creationTimestamp,
    lastChange: status.lastChange,
    conditions: unwell(database),
    unseenGeneration: isSeen(database) ? undefined : metadata.generation,
    pendingChange: database.pending,
    upgrade: status.upgrade,
    backup: backupOf(database, backups),
  };
}

function backupOf(database: SeenDatabase, backups: readonly SeenBackup[]): BackupStanding {
  const { spec, status } = database;
  const { enabled, schedule } = spec.backup;
  if (!enabled) return { enabled, recoverableFrom: status.recoverableFrom };
  const condition = conditionOf(database, "BackupReady");
  return {
    enabled,
    schedule: schedule === "" ? undefined : schedule,
    last: lastBackup(database, backups),
    problem: condition?.status === "True" ? undefined : condition?.message,
    recoverableFrom: status.recoverableFrom,
  };
}

function lastBackup({ status }: SeenDatabase, backups: readonly SeenBackup[]): LastBackup | undefined {
  const { lastBackup: told, lastVerifiedBackup: verified } = status;
  const found = newestFirst(backups).find(({ status: { phase } }) => phase === "Succeeded");
  const last = told ?? (found && { name: found.name, completedAt: momentOf(found) });
  if (last === undefined) return undefined;
  const { name, completedAt } = last;
  const drilledAt = verified?.name === name ? verified.at : undefined;
  const object = backups.find((backup) => backup.name === name);
  return { name, completedAt, verifiedAt: drilledAt, ...(object && factsOf(object, drilledAt)) };
}

/** What the DatabaseBackup itself tells. */
const factsOf = (backup: SeenBackup, drilledAt: string | undefined): Omit<LastBackup, "name" | "completedAt"> => ({
  size: backup.status.size,
  verifiedAt: backup.status.verifiedAt ?? drilledAt,
  isDamaged: isDamaged(backup) ? true : undefined,
});
