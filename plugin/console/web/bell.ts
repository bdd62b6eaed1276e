// Waits until something is told, however often it is told meanwhile.
import { setTimeout as pause } from "node:timers/promises";

/** What was heard; `over`: there will be nothing any more; `gone`: the one who listens has left. */
export type Heard = "changed" | "nothing" | "over" | "gone";

export class Bell {
  #isRung = false;
  #isOver = false;
  #waiting = new AbortController();

  constructor(readonly signal: AbortSignal) {}

  ring(): void {
    this.#isRung = true;
    this.#waiting.abort();
  }

  end(): void {
    this.#isOver = true;
    this.#waiting.abort();
  }

  /** Within `ms` milliseconds. */
  async heard(ms: number): Promise<Heard> {
    if (!this.#isRung && !this.#isOver) await this.#until(ms);
    if (this.signal.aborted) return "gone";
    if (this.#isRung) {
      this.#isRung = false;
      return "changed";
    }
    return this.#isOver ? "over" : "nothing";
  }

  /** Passes so many milliseconds, whatever is told. */
  async quiet(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  async #until(ms: number): Promise<void> {
    this.#waiting = new AbortController();
    const signal = AbortSignal.any([this.signal, this.#waiting.signal]);
    await pause(ms, undefined, { signal }).catch(() => undefined);
  }
}
