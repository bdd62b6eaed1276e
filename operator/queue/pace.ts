// How soon something is looked at that moves: soon after a rest, and less often the longer it keeps moving.

export interface PaceOptions {
  /** Until the first look after a rest, in milliseconds. */
  readonly firstMs: number;
  /** Until a look while it keeps moving, in milliseconds: twice the time before, up to this. */
  readonly longestMs: number;
  /** How long nothing must have moved after a look for the next one to come soon again, in milliseconds. */
  readonly restMs: number;
  /** In milliseconds. */
  readonly now: () => number;
}

/** The look that is due last. */
interface Look {
  readonly due: number;
  readonly delayMs: number;
}

/** See the header. What moves before a look that is due is seen by that. */
export class Pace {
  /** The earliest first, about. */
  readonly #looks = new Map<string, Look>();

  constructor(private readonly options: PaceOptions) {}

  /** `key` has moved: how long its look may wait, in milliseconds. */
  after(key: string): number {
    const { firstMs, longestMs, now } = this.options;
    const at = now();
    const last = this.#looks.get(key);
    if (last !== undefined && at < last.due) return last.due - at;
    const delayMs = last === undefined || this.#hasRested(last, at) ? firstMs : Math.min(longestMs, last.delayMs * 2);
    // a key that is set again goes to the end
    this.#looks.delete(key);
    this.#looks.set(key, { due: at + delayMs, delayMs });
    this.#forgetRested(at);
    return delayMs;
  }

  #hasRested({ due }: Look, at: number): boolean {
    return at - due >= this.options.restMs;
  }

  #forgetRested(at: number): void {
    for (const [key, look] of this.#looks) {
      if (!this.#hasRested(look, at)) return;
      this.#looks.delete(key);
    }
  }

  /** How many are remembered. */
  get size(): number {
    return this.#looks.size;
  }
}
