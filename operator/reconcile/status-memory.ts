// What the operator itself wrote last into each status, for as long as the watch's copy is older than that.
import { metadataOf, statusOf } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import type { Key } from "../ports";
import { isOlder } from "../resource-version";

interface Written {
  readonly uid: string;
  readonly version: string;
  /** The generation that it tells of. */
  readonly generation: number;
  /** Until the watch has brought it. */
  readonly status: DatabaseStatus | undefined;
}

/** From an outdated copy transition times would be wrong, and writes be repeated. */
export class StatusMemory {
  readonly #written = new Map<Key, Written>();

  /** The newer one of what the copy says and what was written. */
  latest(key: Key, object: unknown): DatabaseStatus {
    const written = this.#written.get(key);
    if (written?.status === undefined) return statusOf(object);
    if (isOlder(metadataOf(object).resourceVersion, written.version)) return written.status;
    this.#written.set(key, { ...written, status: undefined });
    return statusOf(object);
  }

  /** Whether the copy is of the past: a later generation of the same object was acted on already. */
  isPast(key: Key, object: unknown): boolean {
    const written = this.#written.get(key);
    const { uid, generation } = metadataOf(object);
    return written?.uid === uid && generation < written.generation;
  }

  remember(key: Key, uid: string, version: string | undefined, status: DatabaseStatus): void {
    if (version === undefined) this.#written.delete(key);
    else this.#written.set(key, { uid, version, generation: status.observedGeneration ?? 0, status });
  }

  forget(key: Key): void {
    this.#written.delete(key);
  }
}
