// Which Databases name which ConfigMap in their configFrom: a change of the ConfigMap is theirs.
import { z } from "zod";
import { placeOf, type Key } from "../domain/key";
const ConfigSource = z.object({ spec: z.object({ configFrom: z.object({ name: z.string() }) }) });

const nobody: ReadonlySet<Key> = new Set();

/** See the header. */
export class ConfigReferences {
  readonly #databases = new Map<Key, Set<Key>>();

  /** How many ConfigMaps are named by any. */
  get size(): number {
    return this.#databases.size;
  }

  /** The Databases that name the ConfigMap of that key. */
  of(configMap: Key): ReadonlySet<Key> {
    return this.#databases.get(configMap) ?? nobody;
  }

  /** Takes note of a change of a Database; undefined: it was not there before, or is not any more. */
  note(key: Key, after: unknown, before: unknown): void {
    const [former, present] = [sourceOf(key, before), sourceOf(key, after)];
    if (former === present) return;
    if (former !== undefined) this.#forget(former, key);
    if (present !== undefined) this.#databases.set(present, (this.#databases.get(present) ?? new Set()).add(key));
  }

  #forget(configMap: Key, key: Key): void {
    const databases = this.#databases.get(configMap);
    databases?.delete(key);
    if (databases?.size === 0) this.#databases.delete(configMap);
  }
}

function sourceOf(key: Key, database: unknown): Key | undefined {
  const parsed = ConfigSource.safeParse(database);
  return parsed.success ? `${placeOf(key).namespace}/${parsed.data.spec.configFrom.name}` : undefined;
}
