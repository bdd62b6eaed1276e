// One leader among several operators, after client-go's leaderelection: the operator that keeps renewing the lease leads, and none
// trusts another one's clock.

/** What the lease says. */
export interface Lease {
  /** Identity of the leader; empty where there is none. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly acquiredAt: Date;
  readonly renewedAt: Date;
  /** How often the leader has changed. */
  readonly transitions: number;
}

/** The lease as it was read: a write names the version that it replaces. */
export interface ReadLease extends Lease {
  readonly version: string;
}

/** Where the lease is kept. Both reject when it cannot be reached. */
export interface LeaseStore {
  /** undefined: there is none yet. */
  read(): Promise<ReadLease | undefined>;
  /** Creates the lease, or replaces the version that was read; undefined where another client was faster. */
  write(lease: Lease, replaces: string | undefined): Promise<ReadLease | undefined>;
}

/** Time; tests hand in their own. */
export interface ElectionClock {
  now(): Date;
  /** Milliseconds that never jump. */
  steady(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** In milliseconds. */
export interface ElectionTiming {
  /** How long others wait for a leader that is silent. */
  readonly leaseMs: number;
  /** A leader that could not renew for so long leads no more: well before others may. */
  readonly renewWithinMs: number;
  /** Between two attempts. */
  readonly retryMs: number;
}

/** What the control plane's own components use. */
export const usualTiming: ElectionTiming = { leaseMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 };

export interface ElectionOptions {
  readonly store: LeaseStore;
  /** Held by no other operator. */
  readonly identity: string;
  readonly clock: ElectionClock;
  readonly timing?: ElectionTiming;
  /** Called with the time until which this one leads, each time that it gets later. */
  readonly onLeading: (until: Date) => void;
  /** Called once when it leads no more without having resigned. Nothing may be written from then on. */
  readonly onLost: (why: string) => void;
  /** Notified of another leader, when that changes. */
  readonly onLeader: (identity: string) => void;
  /** Called with why an attempt did not succeed; there will be others. */
  readonly onProblem: (cause: unknown) => void;
}

/** When an attempt was made, by both clocks: one of them stands still while a machine sleeps, the other may be set back. */
interface Moment {
  readonly now: number;
  readonly steady: number;
}

/** The lease as it was last seen. */
interface SeenLease {
  readonly lease: ReadLease;
  /** When it was first seen like that. */
  readonly since: number;
  /** Whether it has been deleted since. Its leader knows nothing of that before it renews, and leads on meanwhile. */
  readonly deleted: boolean;
}

/** See the header. It is good for one term: who has lost or resigned does not campaign again. */
export class Election {
  readonly #options: Required<ElectionOptions>;
  readonly #ending = new AbortController();
  #renewed: Moment | undefined;
  #seen: SeenLease | undefined;
  #leader = "";
  #attempting: Promise<boolean> = Promise.resolve(false);
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: ElectionOptions) {
    this.#options = { timing: usualTiming, ...options };
  }

  /** Whether this one leads at this moment: to be asked right before every write. */
  get isLeading(): boolean {
    return this.#termLeft() > 0;
  }

  /** Resolves with true once this one leads, and keeps leading by itself; with false once it has resigned. */
  async campaign(): Promise<boolean> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (await this.#try()) {
        this.#renewing = this.#keepRenewing();
        return true;
      }
      await clock.sleep(this.#untilNextAttempt(), signal);
    }
    return false;
  }

  /** Ends the campaign, or the term: another one can lead at once. Nothing may be written any more. Never rejects. */
  async resign(): Promise<void> {
    this.#ending.abort();
    await this.#renewing;
    await this.#attempting;
    const wasLeading = this.isLeading;
    this.#renewed = undefined;
    if (!wasLeading || this.#seen === undefined) return;
    const { store, clock, onProblem } = this.#options;
    const now = clock.now();
    const vacant = { ...this.#seen.lease, holder: "", durationSeconds: 1, acquiredAt: now, renewedAt: now };
    await store.write(vacant, versionOf(this.#seen)).catch(onProblem);
  }

  async #keepRenewing(): Promise<void> {
    const { clock, timing } = this.#options;
    const { signal } = this.#ending;
    for (;;) {
      await clock.sleep(timing.retryMs, signal);
      // an attempt may take longer than the term lasts
      if (this.isLeading) await Promise.race([this.#try(), clock.sleep(this.#termLeft(), signal)]);
      if (signal.aborted) return;
      // one that was frozen finds out here
      const why = this.#whyLost();
      if (why === undefined) continue;
      this.#lose(why);
      return;
    }
  }

  #whyLost(): string | undefined {
    if (!this.isLeading) return "the lease was not renewed in time";
    return this.#leader === this.#options.identity ? undefined : `${this.#leader || "no one"} holds the lease`;
  }

  #lose(why: string): void {
    this.#renewed = undefined;
    this.#ending.abort();
    this.#options.onLost(why);
  }

  #try(): Promise<boolean> {
    this.#attempting = this.#attempt();
    return this.#attempting;
  }

  /** Milliseconds for which this one leads yet; 0 or less where it does not. */
  #termLeft(): number {
    if (this.#renewed === undefined) return 0;
    const { now, steady } = this.#moment();
    const passed = Math.max(now - this.#renewed.now, steady - this.#renewed.steady);
    return this.#options.timing.renewWithinMs - passed;
  }

  /** Takes or renews the lease; false where that did not succeed. */
  async #attempt(): Promise<boolean> {
    const { onLeading, onProblem, timing } = this.#options;
    // the term counts from before the request: the API server may take its time
    const asked = this.#moment();
    try {
      const isMine = await this.#write();
      if (!isMine || this.#ending.signal.aborted) return false;
    } catch (error) {
      onProblem(error);
      return false;
    }
    this.#renewed = asked;
    onLeading(new Date(asked.now + timing.renewWithinMs));
    return true;
  }

  /** Writes the lease, if no other operator has it or is faster; returns whether it is written. */
  async #write(): Promise<boolean> {
    const { store } = this.#options;
    // a leader knows what it wrote last
    if (this.#renewed === undefined) await this.#read();
    if (this.#isTaken()) return false;
    const written = await store.write(this.#mine(this.#seen?.lease), versionOf(this.#seen));
    if (written === undefined) {
      await this.#read();
      return false;
    }
    this.#note(written);
    return true;
  }

  async #read(): Promise<void> {
    const found = await this.#options.store.read();
    if (found !== undefined) this.#note(found);
    else if (this.#seen !== undefined) this.#seen = { ...this.#seen, deleted: true };
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { now: clock.now().getTime(), steady: clock.steady() };
  }

  /** A lease that was deleted counts until it would have run out. */
  #isTaken(): boolean {
    if (this.#seen === undefined) return false;
    const { holder } = this.#seen.lease;
    if (holder === "" || holder === this.#options.identity) return false;
    return this.#options.clock.steady() < this.#expiry(this.#seen);
  }

  /** By the clock of this process alone: a lease that does not change for as long as it is good for has run out. */
  #expiry({ lease, since }: SeenLease): number {
    return since + lease.durationSeconds * 1000;
  }

  #note(lease: ReadLease): void {
    // when it is read, not when it was asked for: the leader may have renewed it in between
    const since = this.#seen?.lease.version === lease.version ? this.#seen.since : this.#options.clock.steady();
    this.#seen = { lease, since, deleted: false };
    if (lease.holder === this.#leader) return;
    this.#leader = lease.holder;
    if (lease.holder !== "") this.#options.onLeader(lease.holder);
  }

  #mine(found: ReadLease | undefined): Lease {
    const { identity, timing, clock } = this.#options;
    const now = clock.now();
    const isNew = found?.holder !== identity;
    return {
      holder: identity,
      durationSeconds: timing.leaseMs / 1000,
      acquiredAt: isNew ? now : found.acquiredAt,
      renewedAt: now,
      transitions: (found?.transitions ?? 0) + (isNew && found !== undefined ? 1 : 0),
    };
  }

  #untilNextAttempt(): number {
    const { retryMs } = this.#options.timing;
    if (this.#seen === undefined || this.#seen.lease.holder === "") return retryMs;
    const left = this.#expiry(this.#seen) - this.#options.clock.steady();
    return Math.max(1, Math.min(retryMs, left));
  }
}

/** What a write replaces. */
const versionOf = (seen: SeenLease | undefined): string | undefined =>
  seen === undefined || seen.deleted ? undefined : seen.lease.version;
