// How a stream of WAL gets on: pure.
import { isUpTo } from "./lsn";

/** How long a stream may bring nothing of what the primary has written before another one is begun. */
const standstillMs = 30_000;

/** See the header. */
export class Progress {
  /** Up to where the primary had written at the last look at which all before had come. */
  #target: string;
  #arrived: string | undefined;
  #movedAt: number;
  /** Whether all had come once that was written when it began. */
  hasArrived = false;

  constructor(target: string, now: number) {
    this.#target = target;
    this.#movedAt = now;
  }

  /** What is waited for; undefined where all arrives. `arrived`: up to where it is on the volume. `lsn`: up to where the primary has written. */
  see(arrived: string | undefined, lsn: string, now: number): string | undefined {
    if (arrived !== undefined && arrived !== this.#arrived) {
      this.#arrived = arrived;
      this.#movedAt = now;
    }
    if (arrived !== undefined && isUpTo(arrived, this.#target)) {
      this.hasArrived = true;
      this.#target = lsn;
      this.#movedAt = now;
      return undefined;
    }
    if (this.isStandingStill(now)) return "nothing of what the primary has written comes";
    // a stream that is slow is one that brings something
    return this.hasArrived ? undefined : "what the primary wrote meanwhile is still on its way";
  }

  isStandingStill(now: number): boolean {
    return now - this.#movedAt >= standstillMs;
  }
}
