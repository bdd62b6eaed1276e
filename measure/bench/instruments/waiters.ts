// Promises that are kept the moment something is seen: waiting for watches without polling.

interface Waiter {
  readonly isMet: () => boolean;
  readonly keep: (at: number) => void;
}

/** Waits for conditions on things that have a key. */
export class Waiters {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Resolves with the time (of performance.now) at which the condition was seen to hold, at once where it does. */
  until(key: string, isMet: () => boolean, { what, withinMs }: { what: string; withinMs: number }): Promise<number> {
    if (isMet()) return Promise.resolve(performance.now());
    return new Promise((resolve, reject) => {
      const ofKey = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, ofKey);
      const timer = setTimeout(() => {
        ofKey.delete(waiter);
        reject(new Error(`${key}: ${what} did not come within ${withinMs / 1000} s`));
      }, withinMs);
      const waiter: Waiter = {
        isMet,
        keep: (at) => {
          clearTimeout(timer);
          resolve(at);
        },
      };
      ofKey.add(waiter);
    });
  }

  /** Something about `key` changed. */
  look(key: string): void {
    const ofKey = this.#waiting.get(key);
    if (ofKey === undefined) return;
    for (const waiter of [...ofKey].filter(({ isMet }) => isMet())) {
      ofKey.delete(waiter);
      waiter.keep(performance.now());
    }
    if (ofKey.size === 0) this.#waiting.delete(key);
  }
}
