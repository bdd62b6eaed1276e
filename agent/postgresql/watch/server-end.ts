// That the server has ended: Patroni looks every few seconds, and clients of a primary wait meanwhile. It is woken at once.
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../../log";
import type { Log } from "../log";
import type { Patroni, Server, Watch } from "./ports";

/** For a process that has ended to be collected by the first one: Patroni takes it for alive until then. In milliseconds. */
const collectedMs = 5_000;
const collectedLookMs = 20;

/** See the header. */
export class ServerEnd implements Watch {
  /** Between two looks for a server that starts. */
  readonly pauseMs = 500;
  #said = "";

  constructor(
    private readonly server: Pick<Server, "pid" | "hasEnded">,
    private readonly patroni: Pick<Patroni, "wake">,
    private readonly log: Log,
  ) {}

  /** Lasts as long as the server does. */
  async look(): Promise<void> {
    let pid = await this.server.pid();
    while (pid !== undefined && !(await this.server.hasEnded(pid))) pid = await this.server.pid();
    if (pid === undefined) return;
    await this.#untilCollected(pid);
    try {
      await this.patroni.wake();
    } catch (error) {
      // then it looks by itself
      this.log(`the server has ended, and Patroni was not woken: ${textOf(error)}`);
    }
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.log(`cannot tell when the server ends: ${why}`);
    this.#said = why;
  }

  async #untilCollected(pid: number): Promise<void> {
    const deadline = performance.now() + collectedMs;
    while ((await this.server.pid()) === pid && performance.now() < deadline) await delay(collectedLookMs);
  }
}
