// That a replica needs WAL that is gone: one that was down for long, or whose slot the primary gave up so as not to fill its volume, would ask
// for it forever, as Patroni does not copy a member again by itself while its data are sound. Patroni is asked to where the primary itself says
// that its oldest WAL is younger than the replica's position, twice in a row.
import { textOf } from "../../log";
import type { Log } from "../log";
import { leaderIn } from "../patroni/answers";
import { positionOfStanding } from "./decide";
import type { Patroni, Sql, Watch } from "./ports";

/** In so many looks one after the other it must be so. */
const certain = 2;

/** See the header. */
export class StrandedReplica implements Watch {
  readonly pauseMs = 30_000;
  #times = 0;
  #said = "";

  constructor(
    private readonly patroni: Pick<Patroni, "own" | "cluster" | "reinitialize">,
    private readonly sql: Pick<Sql, "oldestWal">,
    private readonly log: Log,
  ) {}

  async look(): Promise<void> {
    this.#times = (await this.#isStranded()) ? this.#times + 1 : 0;
    if (this.#times < certain) return;
    const answer = await this.patroni.reinitialize();
    this.log(`the primary no longer has the WAL that this replica needs: copying all data again: ${answer}`);
    this.#times = 0;
  }

  /** Patroni that is just starting is the usual case. */
  failed(error: unknown): void {
    this.#times = 0;
    const why = textOf(error);
    if (why !== this.#said) this.log(`cannot tell whether this member can catch up: ${why}`);
    this.#said = why;
  }

  /** Whether this member is a replica that does not stream and needs what the primary no longer has. */
  async #isStranded(): Promise<boolean> {
    const position = positionOfStanding(await this.patroni.own());
    if (position === undefined) return false;
    const leader = leaderIn(await this.patroni.cluster());
    if (leader?.state !== "running") return false;
    const oldest = await this.sql.oldestWal(leader);
    return oldest !== undefined && position < oldest;
  }
}
