// DatabaseBackups as the watch shows them, by Database. It waits for a custom resource that is not installed.
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import type { Key } from "../domain/key";
import { ByDatabase, ownerOf, type Owned } from "./by-database";
import type { KubeClient } from "./client";
import { resources } from "./paths";
import type { Scope } from "./scope";
import { ScopedReflector } from "./scoped-reflector";

export interface BackupWatchOptions {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
  /** A DatabaseBackup of this Database, or of the name of one, came, went or changed. */
  readonly onChange: (database: Key) => void;
  /** Which backups of this Database are kept beyond retention has changed. */
  readonly onKept: (database: Key) => void;
  readonly onProblem: (cause: unknown) => void;
}

/** One, by the Database that it is of. */
interface Seen extends Owned {
  readonly backup: DatabaseBackup;
}

/** See the header. */
export class BackupWatch {
  readonly #reflector: ScopedReflector<Seen>;
  readonly #scopes: readonly Scope[];
  readonly #of = new ByDatabase<Seen>();
  readonly #refused = Promise.withResolvers<undefined>();

  constructor({ client, scopes, onChange, onKept, onProblem }: BackupWatchOptions) {
    this.#scopes = scopes;
    this.#reflector = new ScopedReflector<Seen>({
      client,
      scopes,
      resource: resources.databaseBackups,
      parse: seenOf,
      onChange: (_key, after, before) => {
        this.#of.note(after, before);
        const moved = after ?? before;
        if (moved === undefined) return;
        onChange(ownerOf(moved));
        if (keptLabelOf(after) !== keptLabelOf(before)) onKept(ownerOf(moved));
      },
      onProblem: (cause) => {
        this.#refused.resolve(undefined);
        onProblem(cause);
      },
    });
  }

  /** Begins. `settled` resolves when each first list is in, or has been refused; `synced` when all are in. */
  start(): { readonly settled: Promise<unknown>; readonly synced: Promise<unknown> } {
    const synced = Promise.all(this.#scopes.map((scope) => this.#reflector.start(scope)));
    return { synced, settled: Promise.race([synced, this.#refused.promise]) };
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  /** Those of a Database, or of the name of one; undefined while they are not known. */
  of(database: Key): readonly DatabaseBackup[] | undefined {
    if (!this.#reflector.isSynced(database)) return undefined;
    return this.#of.of(database).map(({ backup }) => backup);
  }

  /** Labels of those that are kept beyond retention, sorted; undefined while they are not known. */
  keptOf(database: Key): readonly string[] | undefined {
    if (!this.#reflector.isSynced(database)) return undefined;
    const labels = this.#of.of(database).flatMap((seen) => keptLabelOf(seen) ?? []);
    return [...new Set(labels)].sort();
  }
}

function seenOf(object: unknown): Seen | undefined {
  const backup = parseBackup(object);
  if (backup === undefined) return undefined;
  const { metadata, spec } = backup;
  return { namespace: metadata.namespace, database: spec.database, name: metadata.name, backup };
}

/** Undefined for one that is not kept, or has none. */
function keptLabelOf(seen: Seen | undefined): string | undefined {
  if (seen?.backup.spec.keep !== true || seen.backup.metadata.deletionTimestamp !== undefined) return undefined;
  return seen.backup.status.label;
}
