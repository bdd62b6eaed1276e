// That a lower value never comes: of some parameters a replica may not have less than its primary, so all members that are renewed one after
// the other, the primary by a hand-over, keep the former value. Where nothing else waits for a restart, the primary's server restarts in
// place, and then each replica's.
import type { Log } from "../log";
import { nextToRestart, waitsForLess } from "./decide";
import type { Patroni, Watch } from "./ports";

/** In so many looks one after the other it must be this member's turn. */
const certain = 2;

/** See the header. */
export class LowerLimits implements Watch {
  readonly pauseMs = 10_000;
  #times = 0;

  constructor(
    private readonly self: string,
    private readonly patroni: Pick<Patroni, "own" | "cluster" | "restart">,
    private readonly log: Log,
  ) {}

  async look(): Promise<void> {
    const isTurn = waitsForLess(await this.patroni.own()) && nextToRestart(await this.patroni.cluster()) === this.self;
    this.#times = isTurn ? this.#times + 1 : 0;
    if (this.#times < certain) return;
    this.log(`restarting the server, which has lower limits then: ${await this.patroni.restart()}`);
    this.#times = 0;
  }

  failed(): void {
    this.#times = 0;
  }
}
