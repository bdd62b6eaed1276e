// Keeps one server process running: restarts it when it ends, with growing delays where it ends soon.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { log } from "../log";
import { backoffMs } from "./backoff";

/** What to run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The exit code by which it asks to be restarted at once. */
  readonly restartCode: number;
  /** Whether a line of its output says why it fails. */
  readonly isComplaint: (line: string) => boolean;
}

/** A run that lasted longer counts as a good one. */
const goodRunMs = 30_000;

/** See the header. */
export class Supervisor {
  #child: ChildProcess | undefined;
  #complaint: string | undefined;
  #failures = 0;
  readonly #stopping = new AbortController();
  #ended: Promise<void> | undefined;

  /** `program` is asked before each start. */
  constructor(private readonly program: () => Promise<Program>) {}

  /** Starts. `failed` is called with what prevents any start, such as a data directory that cannot be created. */
  start(failed: (error: unknown) => void): void {
    this.#ended = this.#keepRunning(failed);
  }

  /** How often in a row the server ended soon after its start. */
  get failures(): number {
    return this.#failures;
  }

  /** The server's last complaint since it was last started. */
  get complaint(): string | undefined {
    return this.#complaint;
  }

  /** Called once the server works: the next failure is the first one again. */
  works(): void {
    this.#failures = 0;
  }

  /** Ends the server at once; it is started again. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** Stops the server cleanly and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill("SIGTERM");
    await this.#ended;
  }

  async #keepRunning(failed: (error: unknown) => void): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const started = performance.now();
      try {
        const code = await this.#run(await this.program());
        if (code === "restart") {
          this.#failures = 0;
          continue;
        }
      } catch (error) {
        failed(error);
      }
      this.#failures = performance.now() - started > goodRunMs ? 1 : this.#failures + 1;
      await delay(backoffMs(this.#failures), undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  async #run(program: Program): Promise<"restart" | "ended"> {
    if (this.#stopping.signal.aborted) return "ended";
    this.#complaint = undefined;
    const child = spawn(program.command, program.args, {
      env: program.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) this.#passOn(stream, program);
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    this.#child = undefined;
    log("the server ended", { code, signal });
    return code === program.restartCode ? "restart" : "ended";
  }

  #passOn(stream: Readable, { isComplaint }: Program): void {
    createInterface({ input: stream }).on("line", (line) => {
      if (isComplaint(line)) this.#complaint = line;
      process.stdout.write(`${line}\n`);
    });
  }
}
