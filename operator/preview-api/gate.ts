// How many previews there are at a time: of all, and of one person, whose questions must not keep out those of others.
import { PreviewFailure } from "./failure";

export interface GateLimits {
  /** Worked on at the same time. */
  readonly running: number;
  /** Waiting for that. */
  readonly waiting: number;
  /** Of one person, with those of which the question is not read yet. */
  readonly perUser: number;
}

/** When another try is worth it, in seconds. */
const retryAfterSeconds = 2;

/** Does the work in its turn. `signal` ends the wait for it, with a PreviewFailure. */
export type Turn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export class Gate {
  readonly #line: (() => void)[] = [];
  readonly #users = new Map<string, number>();
  #running = 0;

  constructor(private readonly limits: GateLimits) {}

  /**
   * Does for a person what comes before a preview, and the preview where it is given a turn. Throws a PreviewFailure at once where they have too much in
   * progress, and so does a turn where too much is asked of all.
   */
  async admit<T>(user: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const own = this.#users.get(user) ?? 0;
    if (own >= this.limits.perUser) throw tooMany(`you have ${own} previews in progress already`);
    this.#users.set(user, own + 1);
    // what was given up counts for as long as it is at work
    let open = 1;
    const end = (): void => {
      open -= 1;
      if (open === 0) this.#leave(user);
    };
    try {
      return await work((signal, act) => {
        open += 1;
        return this.#pass(signal, act).finally(end);
      });
    } finally {
      end();
    }
  }

  async #pass<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.limits.running && this.#line.length >= this.limits.waiting)
      throw tooMany("too many previews at once");
    await this.#turn(signal);
    return work().finally(() => {
      this.#end();
    });
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#running < this.limits.running) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#line.splice(this.#line.indexOf(begin), 1);
        reject(new PreviewFailure("Timeout", "other previews took too long"));
      };
      // whose turn it is takes over the place of the one that ends
      const begin = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      this.#line.push(begin);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #end(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  #leave(user: string): void {
    const left = (this.#users.get(user) ?? 1) - 1;
    if (left === 0) this.#users.delete(user);
    else this.#users.set(user, left);
  }
}

const tooMany = (message: string): PreviewFailure =>
  new PreviewFailure("TooManyRequests", `${message}: try again`, retryAfterSeconds);
