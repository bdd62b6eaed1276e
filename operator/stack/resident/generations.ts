// Keeps a resident Pulumi at hand: starts it, and replaces it before what it leaks adds up.
import type { ResidentProcess } from "./process";

export interface ProcessLimits {
  /** Runs after which a process is replaced: the engine was built to end after one, and leaks a little with each. */
  readonly runs: number;
  /** Memory of its own at which it is replaced, in bytes. */
  readonly rss: number;
}

export const defaultLimits: ProcessLimits = { runs: 1000, rss: 400 * 1024 * 1024 };

/** See the header. One generation takes new runs; older ones finish theirs and end. */
export class Generations {
  readonly #ending = new Set<Promise<void>>();
  #current: Promise<ResidentProcess> | undefined;

  constructor(
    private readonly start: () => Promise<ResidentProcess>,
    private readonly limits: ProcessLimits = defaultLimits,
  ) {}

  /** The process that takes the next run. Rejects with ResidentGone when it cannot be started; the next call tries again. */
  async current(): Promise<ResidentProcess> {
    const asked = (this.#current ??= this.#begin());
    const process = await asked;
    const isSpent = process.runs >= this.limits.runs || process.rss >= this.limits.rss;
    if (!process.isGone && !isSpent) return process;
    // of several that waited for it, one replaces it
    if (this.#current === asked) {
      this.#current = undefined;
      if (!process.isGone) this.#retire(process);
    }
    return this.current();
  }

  async close(): Promise<void> {
    const current = await this.#current?.catch(() => undefined);
    if (current !== undefined) this.#retire(current);
    await Promise.all(this.#ending);
  }

  #begin(): Promise<ResidentProcess> {
    const begun = this.start();
    begun.catch(() => {
      if (this.#current === begun) this.#current = undefined;
    });
    return begun;
  }

  #retire(process: ResidentProcess): void {
    const ending = process.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
