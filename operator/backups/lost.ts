// Backups that are complete where they lie, and of which no DatabaseBackup tells: the objects were lost, or deleted by a person. Pure.
import { backupClaimName } from "../../components/naming";
import type { PresentBackup } from "../../contract/backup-report";
import type { FoundBackup } from "./found";
import type { DatabaseBackup } from "../api/backups/object";
import { foundRecordNameOf, type BackupRun } from "../domain/backups";
import { volumeLocationOf } from "../domain/restore";
import { newsOf, type Look } from "./decide";
import { known } from "./known";

/** An object that is to be made. */
export interface LostBackup {
  readonly namespace: string;
  readonly name: string;
  readonly database: string;
  readonly found: FoundBackup;
}

/**
 * Known from the newest backup, and acted on before that is recorded: so an object that is deleted comes back with the next one, and not before;
 * and while the Job of a backup is there, that Job decides.
 */
export function lost(look: Look): LostBackup[] {
  const { backups, runs } = look;
  const news = newsOf(look);
  const { report } = news ?? {};
  if (news === undefined || report?.present === undefined) return [];
  const told = new Set([...backups.map(({ status }) => status.label), ...runs.map((run) => run.report?.backup)]);
  return report.present
    .filter(({ label }) => !told.has(label))
    .flatMap((present) => recordOf(news, present, backups) ?? []);
}

function recordOf(
  { namespace, database, engine, report }: BackupRun,
  { label, bytes, completedAt }: PresentBackup,
  backups: readonly DatabaseBackup[],
): LostBackup | undefined {
  const name = foundRecordNameOf(database, label);
  if (name === undefined || backups.some(({ metadata }) => metadata.name === name)) return undefined;
  const location = report?.location ?? volumeLocationOf(backupClaimName(database));
  const recoverableFrom = behind(completedAt, report?.recoverableFrom);
  const texts = {
    startedAt: startIn(label),
    completedAt,
    cluster: report?.cluster,
    base: baseIn(label),
    recoverableFrom,
  };
  const facts = { ...known(texts), ...(bytes !== undefined && { size: bytes }), ...(engine !== "" && { engine }) };
  return { namespace, name, database, found: { label, location, ...facts } };
}

/** The earliest moment that can be restored there, where the backup is not older: changes lead on from it. */
const behind = (completedAt: string | undefined, earliest: string | undefined): string | undefined =>
  completedAt !== undefined && earliest !== undefined && Date.parse(completedAt) >= Date.parse(earliest)
    ? earliest
    : undefined;

/** When it began, as its label says. */
function startIn(label: string): string | undefined {
  const [, date = "", time = ""] = /(\d{8})[T-](\d{6})[A-Z]$/.exec(label) ?? [];
  const text = `${date.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** pgBackRest names one that needs another after that. */
const baseIn = (label: string): string | undefined => /^(\d{8}-\d{6}F)_\d{8}-\d{6}[DI]$/.exec(label)?.[1];
