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
  readonly #owned = new Map<Key, Map<string, T>>();

  of(key: Key): T[] {
    return [...(this.#owned.get(key)?.values() ?? [])];
  }

  /** Takes note of a change; undefined: it was not there before, or is not any more. */
  note(after: T | undefined, before: T | undefined): void {
    if (before !== undefined) this.#forget(before);
    if (after === undefined) return;
    const key = ownerOf(after);
    const siblings = this.#owned.get(key) ?? new Map<string, T>();
    this.#owned.set(key, siblings.set(after.name, after));
  }

  #forget(before: T): void {
    const key = ownerOf(before);
    const siblings = this.#owned.get(key);
    siblings?.delete(before.name);
    if (siblings?.size === 0) this.#owned.delete(key);
  }
}
