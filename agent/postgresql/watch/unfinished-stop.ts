// That a stop hangs. A member that was told to stop ends within seconds of its server, and that once it has written what it has; but the signal may
// reach Patroni while it holds one of its own locks, which is never released then, and no probe ends a container that is ending. Its pod would
// stay for the whole of its grace, ten minutes.
import { textOf } from "../../log";
import type { Log } from "../log";
import { turnOf } from "./decide";
import { answerMs } from "./patroni-standstill";
import type { Patroni, Server, Watch } from "./ports";
import { Standstill } from "./standstill";

/** For Patroni's last requests, each of which it gives up after ten seconds, in milliseconds. */
const patienceMs = 30_000;

/** What it needs. */
export interface UnfinishedStopArgs {
  readonly isToldToStop: () => Promise<boolean>;
  readonly patroni: Pick<Patroni, "turning">;
  readonly patroniProcess: { kill(): Promise<boolean> };
  readonly server: Pick<Server, "pid" | "isStopping" | "stop" | "end">;
  readonly log: Log;
  /** Milliseconds of a clock that only goes forward. Default: the process's own. */
  readonly now?: () => number;
}

/** See the header. */
export class UnfinishedStop implements Watch {
  readonly pauseMs = 1_000;
  readonly #standstill: Standstill;
  #isServerTold = false;

  constructor(private readonly args: UnfinishedStopArgs) {
    this.#standstill = new Standstill(args.now);
  }

  async look(): Promise<void> {
    const { isToldToStop, patroni, server, log } = this.args;
    if (!(await isToldToStop())) return;
    this.#standstill.note("told", true);
    this.#standstill.note("turn", turnOf(await patroni.turning(answerMs).catch(() => undefined)));
    // that may take minutes, and Patroni waits for it
    if (await server.isStopping()) this.#standstill.note("stopping", Symbol("still"));
    const lasting = this.#standstill.lasting();
    if (lasting <= patienceMs) return;
    const [what, help] = this.#helpFor(await server.pid());
    // before it is done: with Patroni this process ends as well
    log(`this member was told to stop, and nothing has moved for ${Math.round(lasting / 1_000)} s: ${what}`);
    await help();
    // that is a movement, too
    this.#standstill.note("help", Symbol("given"));
  }

  #helpFor(pid: number | undefined): readonly [what: string, help: () => Promise<unknown>] {
    const { patroniProcess, server } = this.args;
    if (pid === undefined) return ["the server has ended, and Patroni is killed", () => patroniProcess.kill()];
    if (this.#isServerTold) return ["the server is ended", () => server.end()];
    this.#isServerTold = true;
    return ["Patroni hangs, and the server is told to stop", () => server.stop()];
  }

  failed(error: unknown): void {
    this.args.log(`cannot tell whether a stop hangs: ${textOf(error)}`);
  }
}
