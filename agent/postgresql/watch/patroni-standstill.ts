// That Patroni stands still: a server continues without it, and acknowledges writes after the lease has expired and another member leads.
// Where its loop has not turned for a while, and the lease was not renewed either, the server of a primary ends.
import { textOf } from "../../log";
import type { Log } from "../log";
import { judgeStandstill, renewalOf, turnOf } from "./decide";
import type { Kubernetes, Patroni, Server, Watch } from "./ports";
import { Standstill } from "./standstill";

/** For an answer that is worth waiting for, in milliseconds. */
export const answerMs = 2_000;

/** What it needs. */
export interface PatroniStandstillArgs {
  readonly self: string;
  readonly patroni: Pick<Patroni, "turning">;
  readonly kubernetes: Pick<Kubernetes, "lease">;
  readonly server: Pick<Server, "isPrimary" | "end">;
  readonly log: Log;
  /** Milliseconds of a clock that only goes forward. Default: the process's own. */
  readonly now?: () => number;
}

/** See the header. */
export class PatroniStandstill implements Watch {
  readonly pauseMs = 1_000;
  readonly #standstill: Standstill;

  constructor(private readonly args: PatroniStandstillArgs) {
    this.#standstill = new Standstill(args.now);
  }

  async look(): Promise<void> {
    const { self, patroni, kubernetes, server, log } = this.args;
    const turning = await patroni.turning(answerMs).catch(() => undefined);
    this.#standstill.note("turn", turnOf(turning));
    if (judgeStandstill(this.#standstill.lasting()) === "turns") return;
    const lease = await kubernetes.lease().catch(() => undefined);
    this.#standstill.note("renewal", renewalOf(lease, self));
    if (judgeStandstill(this.#standstill.lasting()) !== "end the server" || !(await server.isPrimary())) return;
    const seconds = Math.round(this.#standstill.lasting() / 1_000);
    log(`Patroni has stood still for ${seconds} s, and another member may lead soon: the server ends`);
    await server.end();
  }

  failed(error: unknown): void {
    this.args.log(`cannot tell whether Patroni stands still: ${textOf(error)}`);
  }
}
