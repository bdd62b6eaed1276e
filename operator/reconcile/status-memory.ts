// What the operator itself wrote last into each status, for as long as the watch's copy is older than that.
import { metadataOf, statusOf } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import type { Key } from "../ports";
import { isOlder } from "../resource-version";

/** From an outdated copy transition times would be wrong, and writes be repeated. */
export class StatusMemory {
  readonly #written = new Map<Key, { readonly version: string; readonly status: DatabaseStatus }>();

  /** The newer one of what the copy says and what was written. */
  latest(key: Key, object: unknown): DatabaseStatus {
    const written = this.#written.get(key);
    const { resourceVersion } = metadataOf(object);
    return written !== undefined && isOlder(resourceVersion, written.version) ? written.status : statusOf(object);
  }

  remember(key: Key, version: string | undefined, status: DatabaseStatus): void {
    if (version === undefined) this.#written.delete(key);
    else this.#written.set(key, { version, status });
  }

  forget(key: Key): void {
    this.#written.delete(key);
  }
}
