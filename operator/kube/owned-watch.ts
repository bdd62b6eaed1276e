// Objects of one kind as the watch shows them, by the Database that they belong to. It waits for a custom resource that is not installed.
import type { Key } from "../domain/key";
import { ByDatabase, ownerOf, type Owned } from "./by-database";
import type { KubeClient } from "./client";
import type { Resource } from "./paths";
import type { Scope } from "./scope";
import { ScopedReflector } from "./scoped-reflector";

/** An object, by the Database that it is of. */
export interface Belonging<T> extends Owned {
  readonly object: T;
}

export interface OwnedWatchOptions<T> {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
  readonly resource: Resource;
  /** Undefined: not to be made use of. */
  readonly parse: (object: unknown) => Belonging<T> | undefined;
  /** An object of this Database, or of the name of one, came, went or changed; undefined: it is not there. */
  readonly onChange: (database: Key, after: T | undefined, before: T | undefined) => void;
  readonly onProblem: (cause: unknown) => void;
}

/** See the header. */
export class OwnedWatch<T> {
  readonly #reflector: ScopedReflector<Belonging<T>>;
  readonly #scopes: readonly Scope[];
  readonly #of = new ByDatabase<Belonging<T>>();
  readonly #refused = Promise.withResolvers<undefined>();

  constructor({ client, scopes, resource, parse, onChange, onProblem }: OwnedWatchOptions<T>) {
    this.#scopes = scopes;
    this.#reflector = new ScopedReflector<Belonging<T>>({
      ...{ client, scopes, resource, parse },
      onChange: (_key, after, before) => {
        this.#of.note(after, before);
        const moved = after ?? before;
        if (moved !== undefined) onChange(ownerOf(moved), after?.object, before?.object);
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
  of(database: Key): readonly T[] | undefined {
    if (!this.#reflector.isSynced(database)) return undefined;
    return this.#of.of(database).map(({ object }) => object);
  }
}
