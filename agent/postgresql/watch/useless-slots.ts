// That a slot keeps WAL for nobody, or nobody can use it. A replica gets copies of the present primary's failover slots, but not where it has
// slots of these names from when it was the primary. And a slot that the server gave up, so as not to fill its volume or because nobody used
// it, is lost: from PostgreSQL 18 on no replica ever streams by it again, even after all data were copied again. Both are dropped.
import type { Log } from "../log";
import type { Server, Sql, Watch } from "./ports";

/** See the header. */
export class UselessSlots implements Watch {
  readonly pauseMs = 30_000;

  constructor(
    private readonly server: Pick<Server, "pid">,
    private readonly sql: Pick<Sql, "dropLostSlots" | "dropFormerSlots">,
    private readonly log: Log,
  ) {}

  async look(): Promise<void> {
    if ((await this.server.pid()) === undefined) return;
    for (const name of await this.sql.dropLostSlots()) {
      this.log(
        `slot ${name} is lost, so that no replica can stream by it any more: it is dropped, and made again where it is needed`,
      );
    }
    for (const name of await this.sql.dropFormerSlots()) {
      this.log(
        `slot ${name} of the time when this member was primary is dropped: the present primary's comes in its place`,
      );
    }
  }

  /** Such as a server that just starts. */
  failed(): void {
    // it is tried again
  }
}
