// When the API server was asked last about a Database that is being deleted: while its pods go, the watches show all that there is to know.
import type { Key } from "../domain/key";
import type { DeletionLooks } from "../domain/ports";

/** How long the watches are trusted to show each pod that goes, in milliseconds. */
export const longestTrustMs = 30_000;

/** See the header. */
export class DeletionLookMemory implements DeletionLooks {
  readonly #taken = new Map<Key, number>();

  note(key: Key, now: Date): void {
    this.#taken.set(key, now.getTime());
  }

  isRecent(key: Key, now: Date): boolean {
    const taken = this.#taken.get(key);
    return taken !== undefined && now.getTime() - taken < longestTrustMs;
  }

  forget(key: Key): void {
    this.#taken.delete(key);
  }
}
