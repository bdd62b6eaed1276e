// For how long nothing has moved, by what is seen of it look after look.

/** See the header. Nothing counts before the first movement was seen. */
export class Standstill {
  readonly #seen = new Map<string, unknown>();
  #since: number | undefined;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes note of what is seen now; undefined says nothing. */
  note(what: string, value: unknown): void {
    if (value === undefined || this.#seen.get(what) === value) return;
    this.#seen.set(what, value);
    this.#since = this.now();
  }

  /** In milliseconds. */
  lasting(): number {
    return this.#since === undefined ? 0 : this.now() - this.#since;
  }
}
