// DatabaseRevisions as the watch shows them, by Database. It waits for a custom resource that is not installed.
import { parseRevision, type DatabaseRevision } from "../api/revisions/object";
import type { Key } from "../domain/key";
import { ByDatabase, ownerOf, type Owned } from "./by-database";
import type { KubeClient } from "./client";
import { resources } from "./paths";
import type { Scope } from "./scope";
import { ScopedReflector } from "./scoped-reflector";

export interface RevisionWatchOptions {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
  /** A DatabaseRevision of this Database, or of the name of one, came, went or changed. */
  readonly onChange: (database: Key) => void;
  readonly onProblem: (cause: unknown) => void;
}

/** One, by the Database that it is of. */
interface Seen extends Owned {
  readonly revision: DatabaseRevision;
}

/** See the header. */
export class RevisionWatch {
  readonly #reflector: ScopedReflector<Seen>;
  readonly #scopes: readonly Scope[];
  readonly #of = new ByDatabase<Seen>();
  readonly #refused = Promise.withResolvers<undefined>();

  constructor({ client, scopes, onChange, onProblem }: RevisionWatchOptions) {
    this.#scopes = scopes;
    this.#reflector = new ScopedReflector<Seen>({
      client,
      scopes,
      resource: resources.databaseRevisions,
      parse: seenOf,
      onChange: (_key, after, before) => {
        this.#of.note(after, before);
        const moved = after ?? before;
        if (moved !== undefined) onChange(ownerOf(moved));
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
  of(database: Key): readonly DatabaseRevision[] | undefined {
    if (!this.#reflector.isSynced(database)) return undefined;
    return this.#of.of(database).map(({ revision }) => revision);
  }
}

/** What it says of the change is not looked at again: of a thousand Databases it would be much. */
function seenOf(object: unknown): Seen | undefined {
  const found = parseRevision(object);
  if (found === undefined) return undefined;
  const { metadata, spec } = found;
  const revision = { ...found, spec: { ...spec, template: undefined, changes: [] } };
  return { namespace: metadata.namespace, database: spec.database, name: metadata.name, revision };
}
