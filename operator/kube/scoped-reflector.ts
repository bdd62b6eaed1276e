// The local copy of one kind over all that the operator looks at: a reflector for each scope, which look like one.
import { placeOf } from "../domain/key";
import { collection, type Resource } from "./paths";
import { Reflector, type Key, type ReflectorOptions } from "./reflector";
import type { Scope } from "./scope";

export interface ScopedReflectorOptions<T> extends Omit<ReflectorOptions<T>, "path" | "exists"> {
  readonly resource: Resource;
  readonly scopes: readonly Scope[];
}

/** See the header. */
export class ScopedReflector<T> {
  /** By namespace; under undefined where there is one for all. */
  readonly #parts: ReadonlyMap<string | undefined, Reflector<T>>;

  constructor({ resource, scopes, ...options }: ScopedReflectorOptions<T>) {
    this.#parts = new Map(
      scopes.map(({ namespace, exists, problem }) => {
        const onProblem = (cause: unknown): void => {
          problem(cause);
          options.onProblem?.(cause);
        };
        const path = collection(resource, namespace);
        return [namespace, new Reflector<T>({ ...options, path, onProblem, ...(exists && { exists }) })];
      }),
    );
  }

  /** Begins in one scope; resolves when its first list is in. */
  async start({ namespace }: Scope): Promise<void> {
    await this.#parts.get(namespace)?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#parts.values()].map((part) => part.stop()));
  }

  /** Whether the first list of the scope that this key is in has come. */
  isSynced(key: Key): boolean {
    return this.#partOf(key)?.synced ?? false;
  }

  get(key: Key): T | undefined {
    return this.#partOf(key)?.get(key);
  }

  keys(): Key[] {
    return [...this.#parts.values()].flatMap((part) => [...part.keys()]);
  }

  #partOf(key: Key): Reflector<T> | undefined {
    return this.#parts.get(undefined) ?? this.#parts.get(placeOf(key).namespace);
  }
}
