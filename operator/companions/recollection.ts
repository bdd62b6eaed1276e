// What the operator itself wrote last, and what it was refused: a watch's copies may be older, and a refusal is not asked for twice.
import { metadataOf } from "../api/object";
import { isOlder } from "../objects/resource-version";
import type { CompanionKey } from "./ports";

interface Refusal {
  /** Digest of what was asked for, and of what it was asked of. */
  readonly asked: string;
  readonly message: string;
}

export class Recollection {
  readonly #written = new Map<CompanionKey, unknown>();
  readonly #refused = new Map<CompanionKey, Refusal>();

  /** The newer one of the copy and what was written; a Database that the copy does not show is none. */
  latest(key: CompanionKey, copy: unknown): unknown {
    const written = this.#written.get(key);
    if (written === undefined || copy === undefined) return copy;
    const [mine, theirs] = [metadataOf(written), metadataOf(copy)];
    if (mine.uid === theirs.uid && isOlder(theirs.resourceVersion, mine.resourceVersion)) return written;
    this.#written.delete(key);
    return copy;
  }

  wrote(key: CompanionKey, database: unknown): void {
    this.#refused.delete(key);
    this.#written.set(key, database);
  }

  refused(key: CompanionKey, refusal: Refusal): void {
    this.#refused.set(key, refusal);
  }

  /** Why just this was refused the last time; undefined where it was not. */
  refusalOf(key: CompanionKey, asked: string): string | undefined {
    const refusal = this.#refused.get(key);
    return refusal?.asked === asked ? refusal.message : undefined;
  }

  forget(key: CompanionKey): void {
    this.#written.delete(key);
    this.#refused.delete(key);
  }
}
