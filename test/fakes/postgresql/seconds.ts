// A watch at which a test looks second by second, and what answers it.
import type { Watch } from "../../../agent/postgresql/watch/ports";

/** The clock: it moves only while a test looks. */
export class Seconds {
  #passed = 0;

  get passed(): number {
    return this.#passed;
  }

  /** In milliseconds, as the watch asks for it. */
  readonly now = (): number => this.#passed * 1_000;

  /** Looks once in each of so many seconds. */
  async look(watch: Watch, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.#passed += 1;
      await watch.look();
    }
  }
}

/** Undefined: there is none. */
export const answerOr = <T>(answer: T | undefined): Promise<T> =>
  answer === undefined ? Promise.reject(new Error("no answer")) : Promise.resolve(answer);
