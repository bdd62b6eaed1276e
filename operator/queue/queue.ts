// A queue of keys: one turn per key at a time, duplicates folded, backoff for failures. A turn first only looks; where a
// run is due, the key waits for one of the few workers that run, so that no look ever waits behind a run.
import { FairLine, type Urgency } from "./fair-line";

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

/** What a turn may do: look, or look and run. */
export type Lane = "look" | "run";

/** What a worker asks for when it is done with a key. */
export type Next =
  | { readonly kind: "forget" }
  | { readonly kind: "again"; readonly afterMs: number }
  | { readonly kind: "retry" }
  /** A turn that may run is due. */
  | { readonly kind: "run" };

/** Notified of what happens to keys, for metrics. Times are in milliseconds. */
export interface QueueObserver {
  /** A key that did not wait waits now. */
  added(lane: Lane): void;
  /** A turn begins, of a key that waited that long. */
  taken(lane: Lane, waitedMs: number): void;
  /** A turn is over. */
  worked(lane: Lane, tookMs: number): void;
  /** A key comes again after a failure. */
  retried(lane: Lane): void;
}

export interface QueueOptions {
  /** Keys worked on at the same time, by what is done with them. */
  readonly concurrency: Readonly<Record<Lane, number>>;
  /** Works on one key. A rejection counts as `retry`. */
  readonly work: (key: string, lane: Lane) => Promise<Next>;
  /** Reports the state of a key whose last attempt failed, without another one. Default: nothing. */
  readonly report?: (key: string) => Promise<void>;
  /** Takes keys, and works on them once it is resumed. Default: false. */
  readonly paused?: boolean;
  readonly clock?: Clock;
  /** Delay before retry number `attempt` (from 1), in milliseconds. */
  readonly backoff?: (attempt: number) => number;
  readonly observer?: QueueObserver;
}

const nobody: QueueObserver = {
  added: () => undefined,
  taken: () => undefined,
  worked: () => undefined,
  retried: () => undefined,
};

/** When a key is due, and who wants it. */
export interface AddOptions {
  /** In milliseconds; default: at once. */
  readonly delayMs?: number;
  /** Default: upkeep. */
  readonly urgency?: Urgency;
}

/** 1 s doubling to 5 min, each delay shortened by up to half at random so that failures do not march in step. */
export function exponentialBackoff(random: () => number = Math.random): (attempt: number) => number {
  return (attempt) => Math.min(300_000, 1000 * 2 ** (attempt - 1)) * (1 - random() / 2);
}

const defaults = (): Required<Omit<QueueOptions, "concurrency" | "work">> => ({
  report: () => Promise.resolve(),
  paused: false,
  clock: systemClock,
  backoff: exponentialBackoff(),
  observer: nobody,
});

const lanes: readonly Lane[] = ["run", "look"];

/** See the header. */
export class KeyedQueue {
  readonly #options: Required<QueueOptions>;
  readonly #lines: Readonly<Record<Lane, FairLine>> = { look: new FairLine(), run: new FairLine() };
  readonly #running = new Map<string, Promise<void>>();
  /** Since when a key waits in its line, and since when it is worked on, by the queue's clock. */
  readonly #waitingSince = new Map<string, number>();
  readonly #workedSince = new Map<string, { readonly lane: Lane; readonly since: number }>();
  readonly #busy: Record<Lane, number> = { look: 0, run: 0 };
  readonly #delayed = new Map<string, { due: number; cancel: () => void }>();
  readonly #attempts = new Map<string, number>();
  /** Keys that must be reported on soon, and how that is called off. */
  readonly #nudged = new Map<string, () => void>();
  /** Keys in line that are only to be reported on. */
  readonly #reports = new Set<string>();
  #stopped = false;
  #paused: boolean;

  constructor(options: QueueOptions) {
    this.#options = { ...defaults(), ...options };
    this.#paused = this.#options.paused;
  }

  /** Keys that are due but not yet worked on. */
  get depth(): number {
    return this.#lines.look.size + this.#lines.run.size;
  }

  /** Of them, those in one line; none before the queue is resumed. */
  depthOf(lane: Lane): number {
    return this.#paused ? 0 : this.#lines[lane].size;
  }

  /** How long each turn in progress has taken so far, in milliseconds. */
  agesOf(lane: Lane): number[] {
    const now = this.#options.clock.now();
    return [...this.#workedSince.values()].flatMap((turn) => (turn.lane === lane ? [now - turn.since] : []));
  }

  /** Failed attempts in a row of `key`. */
  attempts(key: string): number {
    return this.#attempts.get(key) ?? 0;
  }

  /** Makes `key` due. The earliest of several requests wins; a running key has one more turn. */
  add(key: string, { delayMs = 0, urgency = "upkeep" }: AddOptions = {}): void {
    if (this.#stopped) return;
    if (delayMs > 0) {
      this.#addLater(key, delayMs);
      return;
    }
    this.#cancelDelayed(key);
    this.#reports.delete(key);
    // a key that waits to run looks again when it does
    this.#wait(key, this.#lines.run.has(key) ? "run" : "look", urgency);
    this.#dispatch();
  }

  /**
   * Something of `key` has moved: it is due within `delayMs`. Between two attempts it is reported on instead: the next one comes when its pause
   * is over, or by `add`.
   */
  nudge(key: string, delayMs: number): void {
    if (this.attempts(key) === 0) {
      this.add(key, { delayMs });
      return;
    }
    if (this.#stopped || this.#nudged.has(key)) return;
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#nudged.delete(key);
      // an attempt that is due reports by itself
      if (this.#isDue(key)) return;
      this.#reports.add(key);
      this.#wait(key, "look", "upkeep");
      this.#dispatch();
    });
    this.#nudged.set(key, cancel);
  }

  /** Begins with the keys that have come, where it was paused. */
  resume(): void {
    this.#paused = false;
    for (const key of this.#waitingSince.keys()) this.#waitingSince.set(key, this.#options.clock.now());
    this.#dispatch();
  }

  /** Takes no more keys and resolves when the running ones are done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const lane of lanes) this.#lines[lane].clear();
    for (const key of [...this.#delayed.keys()]) this.#cancelDelayed(key);
    for (const key of [...this.#nudged.keys()]) this.#cancelNudge(key);
    await Promise.all(this.#running.values());
  }

  #wait(key: string, lane: Lane, urgency: Urgency): void {
    if (!this.#lines[lane].has(key)) {
      this.#waitingSince.set(key, this.#options.clock.now());
      this.#options.observer.added(lane);
    }
    this.#lines[lane].add(key, urgency);
  }

  #addLater(key: string, delayMs: number): void {
    const due = this.#options.clock.now() + delayMs;
    const existing = this.#delayed.get(key);
    if (this.#isDue(key) || (existing && existing.due <= due)) return;
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

  #cancelNudge(key: string): void {
    this.#nudged.get(key)?.();
    this.#nudged.delete(key);
  }

  /** Whether a turn of the key waits that is more than a report. */
  #isDue(key: string): boolean {
    return lanes.some((lane) => this.#lines[lane].has(key)) && !this.#reports.has(key);
  }

  #dispatch(): void {
    if (this.#paused) return;
    for (const lane of lanes) {
      while (this.#busy[lane] < this.#options.concurrency[lane]) {
        const next = this.#lines[lane].take((key) => !this.#running.has(key));
        if (next === undefined) break;
        this.#busy[lane]++;
        this.#cancelNudge(next.key);
        // the attempt before it may have succeeded meanwhile
        const isReport = this.#reports.delete(next.key) && this.attempts(next.key) > 0;
        const turn = isReport ? this.#report(next.key) : this.#work(next.key, lane, next.urgency);
        this.#running.set(next.key, turn);
      }
    }
  }

  async #work(key: string, lane: Lane, urgency: Urgency): Promise<void> {
    const next = await this.#turn(key, lane, () => this.#options.work(key, lane));
    if (next.kind === "retry") this.#options.observer.retried(lane);
    if (!this.#stopped) this.#schedule(key, next, urgency);
    this.#dispatch();
  }

  async #report(key: string): Promise<void> {
    await this.#turn(key, "look", async () => {
      await this.#options.report(key);
      return { kind: "forget" };
    });
    this.#dispatch();
  }

  async #turn(key: string, lane: Lane, act: () => Promise<Next>): Promise<Next> {
    const { clock, observer } = this.#options;
    const since = clock.now();
    observer.taken(lane, since - (this.#waitingSince.get(key) ?? since));
    this.#waitingSince.delete(key);
    this.#workedSince.set(key, { lane, since });
    let next: Next = { kind: "retry" };
    try {
      next = await act();
    } catch {
      // counts as such
    }
    this.#running.delete(key);
    this.#workedSince.delete(key);
    observer.worked(lane, clock.now() - since);
    this.#busy[lane]--;
    return next;
  }

  #schedule(key: string, next: Next, urgency: Urgency): void {
    if (next.kind === "run") {
      // whatever asked for another look meanwhile is answered by the turn that runs
      this.#cancelDelayed(key);
      this.#reports.delete(key);
      const again = this.#lines.look.delete(key);
      this.#wait(key, "run", again === "person" ? again : urgency);
      return;
    }
    if (next.kind === "retry") {
      const attempt = this.attempts(key) + 1;
      this.#attempts.set(key, attempt);
      this.add(key, { delayMs: this.#options.backoff(attempt) });
      return;
    }
    this.#attempts.delete(key);
    if (next.kind === "again") this.add(key, { delayMs: Math.max(1, next.afterMs) });
  }
}
