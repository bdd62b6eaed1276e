// For how long nothing has moved, by what is seen of it look after look.

/** See the header. Nothing counts before the first movement was seen. */
export class Standstill {
  readonly #seen = new Map<string, unknown>();
  #since: number | undefined;

  /** Takes note of what was seen at `now`, in milliseconds; undefined says nothing. */
  note(what: string, value: unknown, now: number): void {
    if (value === undefined || this.#seen.get(what) === value) return;
    this.#seen.set(what, value);
    this.#since = now;
  }

  /** In milliseconds. */
  lasting(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since;
  }
}
