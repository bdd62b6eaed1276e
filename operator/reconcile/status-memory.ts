// What the operator itself wrote last into each status: what the watch brings may be older than that.
import type { ObservedDatabase } from "../domain/observed-database";
import type { Key } from "../domain/key";
import type { WrittenStatus } from "../domain/status-write";
import type { DatabaseStatus } from "../api/status";
import { isOlder } from "../objects/resource-version";

/** What is compared with: of a Database, of a companion, or of a backup. */
interface Observed<Status> extends Pick<ObservedDatabase, "metadata"> {
  readonly status: Status;
}

interface Written<Status> extends WrittenStatus<Status> {
  readonly uid: string;
}

/** How many are remembered of those that seem to be gone. */
const maxAbsent = 100;

/** From an outdated copy transition times would be wrong, and writes be repeated. */
export class StatusMemory<Status extends Pick<DatabaseStatus, "observedGeneration"> = DatabaseStatus> {
  readonly #written = new Map<Key, Written<Status>>();
  /** Those that seem to be gone, the longest first. */
  readonly #absent = new Set<Key>();

  /** The newer one of what the copy says and what was written. A list may bring an old copy after the watch a newer one. */
  latest(key: Key, { metadata, status }: Observed<Status>): Status {
    const written = this.#written.get(key);
    if (written === undefined || written.uid !== metadata.uid) return status;
    return isOlder(metadata.resourceVersion, written.version) ? written.status : status;
  }

  /** Whether the copy is of the past: a later generation of the same object was acted on already. */
  isPast(key: Key, { metadata }: Pick<ObservedDatabase, "metadata">): boolean {
    const written = this.#written.get(key);
    return written?.uid === metadata.uid && metadata.generation < (written.status.observedGeneration ?? 0);
  }

  /** `written`: undefined where the object was gone. */
  remember(key: Key, uid: string, written: WrittenStatus<Status> | undefined): void {
    this.#absent.delete(key);
    if (written === undefined) this.#written.delete(key);
    else this.#written.set(key, { uid, ...written });
  }

  /** To be called when that object is gone; a successor of the same name is remembered on. */
  forget(key: Key, uid: string): void {
    if (this.#written.get(key)?.uid === uid) this.#written.delete(key);
  }

  /**
   * To be called when no object of the name can be seen. After a list of the past it may be there all the same, and come back in a version from
   * before its status: it is remembered until enough others have gone.
   */
  miss(key: Key): void {
    if (!this.#written.has(key)) return;
    this.#absent.add(key);
    const [longest] = this.#absent;
    if (longest === undefined || this.#absent.size <= maxAbsent) return;
    this.#absent.delete(longest);
    this.#written.delete(longest);
  }
}
