// Finds which drift is new: each turn finds what an earlier one found, until it is restored.
import type { Key } from "../domain/key";
import type { Drift } from "../domain/children";
import { textOf } from "../reconcile/drift";

/** See the header. */
export class DriftLedger {
  readonly #known = new Map<Key, ReadonlySet<string>>();

  /** What of `drift`, which is all that is found now, was not found before. */
  note(key: Key, drift: readonly Drift[]): readonly Drift[] {
    const before = this.#known.get(key);
    this.forget(key);
    if (drift.length > 0) this.#known.set(key, new Set(drift.map(textOf)));
    return drift.filter((found) => before?.has(textOf(found)) !== true);
  }

  /** It was restored, or its Database is gone: the same again is new. */
  forget(key: Key): void {
    this.#known.delete(key);
  }
}
