// Backups, for people. Pure.
import { agoText, bytesText, durationText, momentText } from "../output/amounts";
import { cell, table, type Cell } from "../output/columns";
import type { Paint, Palette } from "../output/palette";
import type { View } from "../output/print";
import { conditionOf, type SeenDatabase } from "../objects/database";
import { isDamaged, momentOf, newestFirst, type SeenBackup } from "../objects/backup";

export interface BackupView extends View {
  readonly hasNamespaces: boolean;
  /** Whether they are of several Databases. */
  readonly hasDatabases: boolean;
  readonly hasHeadings: boolean;
  readonly isWide: boolean;
}

const headings = ["NAME", "PHASE", "TRIGGER", "COMPLETED", "SIZE", "TOOK", "VERIFIED", "KEPT"];

export function backupLines(backups: readonly SeenBackup[], view: BackupView): string[] {
  const { hasNamespaces, hasDatabases, hasHeadings, isWide } = view;
  const named = [
    ...(hasNamespaces ? ["NAMESPACE"] : []),
    ...(hasDatabases ? ["DATABASE"] : []),
    ...headings,
    ...(isWide ? ["LOCATION", "LABEL"] : []),
  ];
  const rows = newestFirst(backups).map((backup) => [
    ...(hasNamespaces ? [cell(backup.namespace)] : []),
    ...(hasDatabases ? [cell(backup.database)] : []),
    ...cellsOf(backup, view),
    ...(isWide ? [cell(backup.status.location ?? "–"), cell(backup.status.label ?? "–")] : []),
  ]);
  return table(named, rows, hasHeadings);
}

function cellsOf(backup: SeenBackup, { palette, now }: BackupView): Cell[] {
  const { phase, trigger, size, durationSeconds } = backup.status;
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  return [
    cell(backup.name),
    cell(phase ?? "Pending", paintOf(phase, palette)),
    cell(trigger ?? "–"),
    cell(hasEnded ? agoText(momentOf(backup), now) : "–"),
    cell(size === undefined ? "–" : bytesText(size)),
    cell(durationSeconds === undefined ? "–" : durationText(durationSeconds)),
    verifiedCell(backup, { palette, now }),
    cell(backup.keep ? "yes" : ""),
  ];
}

function paintOf(phase: SeenBackup["status"]["phase"], { green, red, yellow }: Palette): Paint {
  if (phase === "Succeeded") return green;
  return phase === "Failed" ? red : yellow;
}

function verifiedCell(backup: SeenBackup, { palette, now }: View): Cell {
  const { verifiedAt } = backup.status;
  if (isDamaged(backup)) return cell("DAMAGED", palette.red);
  return cell(verifiedAt === undefined ? "–" : agoText(verifiedAt, now));
}

/** To which moments a Database can be restored, and what is wrong with its backups. */
export function windowLines(database: SeenDatabase, backups: readonly SeenBackup[], { palette }: View): string[] {
  const title = palette.bold(`${database.metadata.namespace}/${database.metadata.name}`);
  const problems = (["BackupReady", "BackupVerified", "ArchiveReady"] as const).flatMap((type) => {
    const condition = conditionOf(database, type);
    const isBad = condition?.status === "False" && condition.reason !== "BackupDisabled";
    return isBad ? [palette.yellow(`${type}: ${condition.reason}: ${condition.message}`)] : [];
  });
  return [`${title}   ${windowText(database, backups)}`, ...problems];
}

function windowText({ spec, status }: SeenDatabase, backups: readonly SeenBackup[]): string {
  if (status.recoverableFrom !== undefined)
    return `can be restored to any moment since ${momentText(status.recoverableFrom)}`;
  const good = newestFirst(backups).filter((backup) => backup.status.phase === "Succeeded" && !isDamaged(backup));
  const oldest = good.at(-1);
  if (oldest === undefined && backups.some(isDamaged)) return "cannot be restored: drills found its backups damaged";
  if (oldest === undefined)
    return spec.backup.enabled ? "cannot be restored: there is no backup yet" : "cannot be restored: backups are off";
  const count = good.length === 1 ? "the moment of its backup" : `the moments of its ${good.length} backups`;
  return `can be restored to ${count}, the oldest of ${momentText(momentOf(oldest))}`;
}
