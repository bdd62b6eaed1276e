// Waiting in tests: for something to become so, or to stay so; always with a deadline, never blindly.
import { setTimeout as delay } from "node:timers/promises";

export interface Patience {
  /** Default: 30 s. */
  readonly withinMs?: number;
  /** Default: 100 ms. */
  readonly everyMs?: number;
}

/** Repeats `check` until it no longer throws, and returns its value; at the deadline its last error is thrown. */
export async function eventually<T>(check: () => Promise<T> | T, patience: Patience = {}): Promise<T> {
  const { withinMs = 30_000, everyMs = 100 } = patience;
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(everyMs);
    }
  }
}

/** Repeats `check` for a time; its first error is thrown. */
export async function consistently(check: () => Promise<void> | void, forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await check();
    await delay(100);
  }
}

/** Patience of some minutes. */
export const minutes = (count: number): Patience => ({ withinMs: count * 60_000 });
