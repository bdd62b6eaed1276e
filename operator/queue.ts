// A queue of keys: one reconcile per key at a time, duplicates folded, bounded concurrency, backoff for failures.

/** Time as the queue sees it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since any fixed point. */
  now(): number;
  /** Calls `callback` after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The machine's own clock; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** What a worker asks for when it is done with a key. */
export type Next =
  { readonly kind: "forget" } | { readonly kind: "again"; readonly afterMs: number } | { readonly kind: "retry" };

export interface QueueOptions {
  /** Keys worked on at the same time. */
  readonly concurrency: number;
  /** Works on one key. A rejection counts as `retry`. */
  readonly work: (key: string) => Promise<Next>;
  readonly clock?: Clock;
  /** Delay before retry number `attempt` (from 1), in milliseconds. */
  readonly backoff?: (attempt: number) => number;
}

/** 1 s doubling to 5 min, each delay shortened by up to half at random so that failures do not march in step. */
export function exponentialBackoff(random: () => number = Math.random): (attempt: number) => number {
  return (attempt) => Math.min(300_000, 1000 * 2 ** (attempt - 1)) * (1 - random() / 2);
}

/** See the header. Keys wait in the order in which they became due. */
export class KeyedQueue {
  readonly #options: Required<QueueOptions>;
  readonly #ready = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #delayed = new Map<string, { due: number; cancel: () => void }>();
  readonly #attempts = new Map<string, number>();
  #stopped = false;

  constructor(options: QueueOptions) {
    this.#options = { clock: systemClock, backoff: exponentialBackoff(), ...options };
  }

  /** Keys that are due but not yet worked on. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Keys being worked on. */
  get active(): number {
    return this.#running.size;
  }

  /** Whether `key` is being worked on. */
  isActive(key: string): boolean {
    return this.#running.has(key);
  }

  /** Failed attempts in a row of `key`. */
  attempts(key: string): number {
    return this.#attempts.get(key) ?? 0;
  }

  /** Makes `key` due now, or after `delayMs`. The earliest of several requests wins; a running key runs once more. */
  add(key: string, delayMs = 0): void {
    if (this.#stopped) return;
    if (delayMs > 0) {
      this.#addLater(key, delayMs);
      return;
    }
    this.#cancelDelayed(key);
    this.#ready.add(key);
    this.#dispatch();
  }

  /** Takes no more keys and resolves when the running ones are done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#ready.clear();
    for (const key of [...this.#delayed.keys()]) this.#cancelDelayed(key);
    await Promise.all(this.#running.values());
  }

  #addLater(key: string, delayMs: number): void {
    const due = this.#options.clock.now() + delayMs;
    const existing = this.#delayed.get(key);
    if (this.#ready.has(key) || (existing && existing.due <= due)) return;
    this.#cancelDelayed(key);
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, cancel });
  }

  #cancelDelayed(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  #dispatch(): void {
    for (const key of this.#ready) {
      if (this.#running.size >= this.#options.concurrency) return;
      if (this.#running.has(key)) continue;
      this.#ready.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    let next: Next;
    try {
      next = await this.#options.work(key);
    } catch {
      next = { kind: "retry" };
    }
    this.#running.delete(key);
    this.#schedule(key, next);
    this.#dispatch();
  }

  #schedule(key: string, next: Next): void {
    if (next.kind === "retry") {
      const attempt = this.attempts(key) + 1;
      this.#attempts.set(key, attempt);
      this.add(key, this.#options.backoff(attempt));
      return;
    }
    this.#attempts.delete(key);
    if (next.kind === "again") this.add(key, Math.max(1, next.afterMs));
  }
}
