// That the server has ended: Patroni looks every few seconds, and clients of a primary wait meanwhile. It is woken at once. Where the server
// was not told to, that is noted: it is the cause of what follows, and its container does not end.
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../../log";
import type { Log } from "../log";
import type { Patroni, Server, Watch } from "./ports";

/** For a process that has ended to be collected by the first one: Patroni takes it for alive until then. In milliseconds. */
const collectedMs = 5_000;
const collectedLookMs = 20;

/** What it needs. */
export interface ServerEndParts {
  readonly server: Pick<Server, "pid" | "hasEnded" | "isLeftBy">;
  readonly patroni: Pick<Patroni, "wake">;
  /** Notes that the server ended at that time without being told to. */
  readonly note: (at: Date) => Promise<void>;
  readonly log: Log;
  /** Default: the present time. */
  readonly now?: () => Date;
}

/** See the header. */
export class ServerEnd implements Watch {
  /** Between two looks for a server that starts. */
  readonly pauseMs = 500;
  #said = "";

  constructor(private readonly parts: ServerEndParts) {}

  /** Lasts as long as the server does. */
  async look(): Promise<void> {
    const { server, patroni, note, log, now = () => new Date() } = this.parts;
    let pid = await server.pid();
    while (pid !== undefined && !(await server.hasEnded(pid))) pid = await server.pid();
    if (pid === undefined) return;
    const at = now();
    await this.#untilCollected(pid);
    // the next server writes its own file
    const wasKilled = await server.isLeftBy(pid);
    // first: clients wait; where it fails, Patroni looks by itself
    await patroni.wake().catch((error: unknown) => {
      log(`the server has ended, and Patroni was not woken: ${textOf(error)}`);
    });
    if (!wasKilled) return;
    await note(at).catch((error: unknown) => {
      log(`the server was killed, or crashed, and that is not noted: ${textOf(error)}`);
    });
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.parts.log(`cannot tell when the server ends: ${why}`);
    this.#said = why;
  }

  async #untilCollected(pid: number): Promise<void> {
    const deadline = performance.now() + collectedMs;
    while ((await this.parts.server.pid()) === pid && performance.now() < deadline) await delay(collectedLookMs);
  }
}
