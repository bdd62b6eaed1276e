// When the API server was asked last about a Database that is being deleted: while its pods go, the watches tell all that there is to know.
import type { Key } from "../ports";

/** How long the watches are trusted to tell of each pod that goes, in milliseconds. */
export const longestTrustMs = 30_000;

/** See the header. */
export class DeletionLooks {
  readonly #taken = new Map<Key, number>();

  /** The API server is asked now. */
  note(key: Key, now: Date): void {
    this.#taken.set(key, now.getTime());
  }

  /** Whether it was asked so lately that the watches need not be doubted. */
  isRecent(key: Key, now: Date): boolean {
    const taken = this.#taken.get(key);
    return taken !== undefined && now.getTime() - taken < longestTrustMs;
  }

  forget(key: Key): void {
    this.#taken.delete(key);
  }
}
