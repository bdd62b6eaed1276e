// Watched objects by the Database that they belong to, so that a look at one Database does not go through all of them.
import type { Key } from "../domain/key";

/** What belongs to a Database. */
export interface Owned {
  readonly namespace: string;
  readonly database: string;
  readonly name: string;
}

export const ownerOf = ({ namespace, database }: Omit<Owned, "name">): Key => `${namespace}/${database}`;

/** See the header. */
export class ByDatabase<T extends Owned> {
  readonly #owned = new Map<Key, Map<T["name"], T>>();

  of(key: Key): T[] {
    return [...this.byName(key).values()];
  }

  byName(key: Key): ReadonlyMap<T["name"], T> {
    return this.#owned.get(key) ?? new Map<T["name"], T>();
  }

  /** Takes note of a change; undefined: it was not there before, or is not any more. */
  note(after: T | undefined, before: T | undefined): void {
    if (before !== undefined) this.#forget(before);
    if (after === undefined) return;
    const key = ownerOf(after);
    const siblings = this.#owned.get(key) ?? new Map<T["name"], T>();
    this.#owned.set(key, siblings.set(after.name, after));
  }

  #forget(before: T): void {
    const key = ownerOf(before);
    const siblings = this.#owned.get(key);
    siblings?.delete(before.name);
    if (siblings?.size === 0) this.#owned.delete(key);
  }
}
