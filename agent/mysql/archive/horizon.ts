// Until when all that was committed has arrived. A look at the primary says what it has executed, and one before it a time until which that is all: a
// transaction that was being committed then is in the later look. What has not arrived yet stays wanted, as more is written all the time.
import type { GtidSet } from "../gtid";
import type { Arrival } from "./group-notes";

/** A look at the primary. */
export interface Look {
  /** By its clock, in microseconds, before it was asked what it has executed. */
  readonly now: number;
  readonly executed: GtidSet;
}

/** See the header. */
export class Horizon {
  #group: string | undefined;
  #before: number | undefined;
  #wanted: Arrival | undefined;

  /** What is wanted, until it is there. */
  get wanted(): Arrival | undefined {
    return this.#wanted;
  }

  /** What is looked at is this group from now on: of another one nothing comes any more. */
  follows(group: string): void {
    if (group === this.#group) return;
    this.#group = group;
    [this.#before, this.#wanted] = [undefined, undefined];
  }

  /** A look that came after the others. */
  see({ now, executed }: Look): void {
    if (this.#before !== undefined) this.#wanted ??= { at: this.#before, executed };
    this.#before = now;
  }

  /** What was wanted is there. */
  reached(): void {
    this.#wanted = undefined;
  }
}
