// Time for tests of the queue: it passes when they say so.
import type { Clock } from "../../operator/queue/queue";

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  #timers = new Set<{ due: number; callback: () => void }>();
  now(): number {
    return this.#now;
  }
  after(delayMs: number, callback: () => void): () => void {
    const timer = { due: this.#now + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of [...this.#timers].sort((a, b) => a.due - b.due)) {
      if (timer.due > this.#now) break;
      this.#timers.delete(timer);
      timer.callback();
    }
    await settle();
  }
}

/** Lets every pending promise callback run. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
