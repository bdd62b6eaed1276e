// Waits for a condition with a deadline.
import { setTimeout as delay } from "node:timers/promises";

/** How long and how often to look. */
export interface WaitOptions {
  /** What is waited for, for the error: "the API server to be ready". */
  what: string;
  timeoutSeconds: number;
  /** Default 50. */
  everyMilliseconds?: number;
  signal?: AbortSignal;
}

/**
 * Calls `look` until it answers with something other than undefined, and returns that. An error of `look` ends the wait
 * at once; too long a wait throws, naming what was waited for.
 */
export async function waitFor<T>(look: () => Promise<T | undefined>, options: WaitOptions): Promise<T> {
  const deadline = performance.now() + options.timeoutSeconds * 1000;
  for (;;) {
    options.signal?.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline)
      throw new Error(`timed out after ${options.timeoutSeconds}s waiting for ${options.what}`);
    await pause(options.everyMilliseconds ?? 50, options.signal);
  }
}

/** Waits a while; throws the reason of `signal` when that is aborted meanwhile. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
