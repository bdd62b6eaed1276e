// A line in which keys wait their turn: what a person asked for comes first, and namespaces take turns.
import { placeOf } from "../domain/key";

/** `person`: a user edited the Database itself; `upkeep`: children, inputs, retries and what is found at the start. */
export type Urgency = "person" | "upkeep";

/** Every so often upkeep goes first, so that endless edits do not starve it. */
const upkeepEvery = 4;

/** See the header. Within a namespace and an urgency keys are taken in the order in which they came. */
export class FairLine {
  readonly #urgencies = new Map<string, Urgency>();
  /** Keys by namespace; the namespace that waits longest comes first. */
  readonly #waiting: Readonly<Record<Urgency, Map<string, Set<string>>>> = { person: new Map(), upkeep: new Map() };
  #taken = 0;

  get size(): number {
    return this.#urgencies.size;
  }

  has(key: string): boolean {
    return this.#urgencies.has(key);
  }

  /** Puts `key` in line; one that waits already keeps its place, or gets a better one. */
  add(key: string, urgency: Urgency): void {
    const before = this.#urgencies.get(key);
    if (before === urgency || before === "person") return;
    this.delete(key);
    const { namespace } = placeOf(key);
    const siblings = this.#waiting[urgency].get(namespace) ?? new Set();
    this.#waiting[urgency].set(namespace, siblings.add(key));
    this.#urgencies.set(key, urgency);
  }

  /** Takes `key` out of the line; returns how urgent it was, undefined where it did not wait. */
  delete(key: string): Urgency | undefined {
    const urgency = this.#urgencies.get(key);
    if (urgency === undefined) return undefined;
    const { namespace } = placeOf(key);
    const siblings = this.#waiting[urgency].get(namespace);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#waiting[urgency].delete(namespace);
    this.#urgencies.delete(key);
    return urgency;
  }

  clear(): void {
    for (const key of [...this.#urgencies.keys()]) this.delete(key);
  }

  /** Takes out the next key that `isFree`; undefined where there is none. */
  take(isFree: (key: string) => boolean): { readonly key: string; readonly urgency: Urgency } | undefined {
    const isUpkeeps = (this.#taken + 1) % upkeepEvery === 0;
    for (const urgency of isUpkeeps ? (["upkeep", "person"] as const) : (["person", "upkeep"] as const)) {
      const key = this.#next(urgency, isFree);
      if (key === undefined) continue;
      this.#taken++;
      return { key, urgency };
    }
    return undefined;
  }

  #next(urgency: Urgency, isFree: (key: string) => boolean): string | undefined {
    for (const [namespace, keys] of this.#waiting[urgency]) {
      const key = [...keys].find(isFree);
      if (key === undefined) continue;
      this.delete(key);
      // the others of this namespace wait behind all other namespaces now
      if (this.#waiting[urgency].delete(namespace)) this.#waiting[urgency].set(namespace, keys);
      return key;
    }
    return undefined;
  }
}
