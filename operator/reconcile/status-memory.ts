// What the operator itself wrote last into each status, for as long as the watch's copy is older than that.
import { metadataOf, statusOf } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import type { Key } from "../ports";
import { isOlder } from "../resource-version";

interface Written {
  readonly uid: string;
  readonly version: string;
  readonly status: DatabaseStatus;
}

/** From an outdated copy transition times would be wrong, and writes be repeated. */
export class StatusMemory {
  readonly #written = new Map<Key, Written>();

  /** The newer one of what the copy says and what was written. */
  latest(key: Key, object: unknown): DatabaseStatus {
    const written = this.#written.get(key);
    const { resourceVersion } = metadataOf(object);
    return written !== undefined && isOlder(resourceVersion, written.version) ? written.status : statusOf(object);
  }

  /** Whether the copy is of the past: a later generation of the same object was acted on already. */
  isPast(key: Key, object: unknown): boolean {
    const written = this.#written.get(key);
    const { uid, generation } = metadataOf(object);
    return written?.uid === uid && generation < (written.status.observedGeneration ?? 0);
  }

  remember(key: Key, uid: string, version: string | undefined, status: DatabaseStatus): void {
    if (version === undefined) this.#written.delete(key);
    else this.#written.set(key, { uid, version, status });
  }

  forget(key: Key): void {
    this.#written.delete(key);
  }
}
