// How many pages follow changes: each costs the API server a watch or two for as long as it is open.
import type { ConsoleSettings } from "./settings";

export class Followers {
  readonly #byVisitor = new Map<string, number>();
  #all = 0;

  constructor(readonly limits: ConsoleSettings["followers"]) {}

  /** What ends it again; undefined where there are too many. */
  enter(visitor: string): (() => void) | undefined {
    const own = this.#byVisitor.get(visitor) ?? 0;
    if (own >= this.limits.perVisitor || this.#all >= this.limits.all) return undefined;
    this.#count(visitor, 1);
    return () => {
      this.#count(visitor, -1);
    };
  }

  #count(visitor: string, step: 1 | -1): void {
    const own = (this.#byVisitor.get(visitor) ?? 0) + step;
    this.#all += step;
    if (own > 0) this.#byVisitor.set(visitor, own);
    else this.#byVisitor.delete(visitor);
  }
}
