// Persons, kept for a minute: to sign in may start a program, and to find out what they may see takes requests.
import type { Person } from "./person";

/** Milliseconds. A right that is taken away is noticed by the API server at once, whatever is kept here. */
const keptMs = 60_000;

/** Those who were there last, by a key that only they have. */
export class KeptPersons {
  readonly #kept = new Map<string, { readonly until: number; readonly person: Promise<Person> }>();

  constructor(
    readonly most: number,
    readonly now: () => Date,
  ) {}

  /** The one of this key, or what `open` makes; a failure is not kept. */
  async of(key: string, open: () => Promise<Person>): Promise<Person> {
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > this.now().getTime()) return known.person;
    this.#kept.delete(key);
    const person = open();
    this.#kept.set(key, { person, until: this.now().getTime() + keptMs });
    // the one who was added first goes first
    for (const [oldest] of this.#kept) if (this.#kept.size > this.most) this.#kept.delete(oldest);
    try {
      return await person;
    } catch (error) {
      this.forget(key);
      throw error;
    }
  }

  /** Of one whom the API server does not know any more. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
