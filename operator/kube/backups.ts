// DatabaseBackups as the watch shows them, by Database.
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import type { Key } from "../domain/key";
import { OwnedWatch, type Belonging, type OwnedWatchOptions } from "./owned-watch";
import { resources } from "./paths";

export interface BackupWatchOptions extends Pick<OwnedWatchOptions<DatabaseBackup>, "client" | "scopes" | "onProblem"> {
  /** A DatabaseBackup of this Database, or of the name of one, came, went or changed. */
  readonly onChange: (database: Key) => void;
  /** Which backups of this Database are kept beyond retention has changed. */
  readonly onKept: (database: Key) => void;
}

/** See the header. */
export class BackupWatch extends OwnedWatch<DatabaseBackup> {
  constructor({ onChange, onKept, ...options }: BackupWatchOptions) {
    super({
      ...options,
      resource: resources.databaseBackups,
      parse: belongingOf,
      onChange: (database, after, before) => {
        onChange(database);
        if (keptLabelOf(after) !== keptLabelOf(before)) onKept(database);
      },
    });
  }

  /** Labels of those that are kept beyond retention, sorted; undefined while they are not known. */
  keptOf(database: Key): readonly string[] | undefined {
    const labels = this.of(database)?.flatMap((backup) => keptLabelOf(backup) ?? []);
    return labels && [...new Set(labels)].sort();
  }
}

function belongingOf(text: unknown): Belonging<DatabaseBackup> | undefined {
  const object = parseBackup(text);
  if (object === undefined) return undefined;
  const { metadata, spec } = object;
  return { namespace: metadata.namespace, database: spec.database, name: metadata.name, object };
}

/** Undefined for one that is not kept, or has none. */
function keptLabelOf(backup: DatabaseBackup | undefined): string | undefined {
  if (backup?.spec.keep !== true || backup.metadata.deletionTimestamp !== undefined) return undefined;
  return backup.status.label;
}
