// One resident Pulumi: the process, its runs, and whether it still answers.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { signalTo } from "../processes";
import {
  answerOf,
  cancelLine,
  configureLine,
  pingLine,
  runLine,
  writeUntilLine,
  type Answer,
  type Done,
  type Pong,
  type RunCall,
} from "./protocol";

export interface ProcessOptions {
  /** The program, `pulumi-resident`. */
  readonly program: string;
  /** Default: none. */
  readonly args?: readonly string[];
  /** An empty directory that it works in. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Key of the stacks' secrets. It may come later than the process starts. */
  readonly passphrase: string | Promise<string>;
  /** Called with what it prints for people. */
  readonly onLog: (line: string) => void;
  readonly patience?: Patience;
}

/** How long things may take, in milliseconds. */
export interface Patience {
  /** To begin. */
  readonly startMs: number;
  /** Between two questions whether it still answers, while something runs. */
  readonly pingEveryMs: number;
  /** Without any answer while something runs. */
  readonly silenceMs: number;
  /** To end by itself. */
  readonly endMs: number;
}

const usualPatience: Patience = { startMs: 20_000, pingEveryMs: 5_000, silenceMs: 20_000, endMs: 15_000 };

/** The process ended, or never began. */
export class ResidentGone extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ResidentGone";
  }
}

/** A run that was asked for. */
export interface RunUnderWay {
  readonly done: Promise<Done>;
  readonly cancel: (how: "graceful" | "forced") => void;
  /** Waits for it no longer: it rejects with ResidentGone, and the process may end without it. */
  readonly abandon: () => void;
}

interface Running {
  readonly settled: Promise<unknown>;
  readonly onEvent: (event: EngineEvent) => void;
  readonly done: (done: Done) => void;
  readonly gone: (error: ResidentGone) => void;
}

export class ResidentProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #patience: Patience;
  readonly #running = new Map<string, Running>();
  readonly #ended: Promise<void>;
  #ready: (version: string) => void = () => undefined;
  #version = "";
  #next = 0;
  #pong: Pong = { runs: 0, rss: 0 };
  #lastHeard = 0;
  #watch: NodeJS.Timeout | undefined;
  #isGone = false;

  private constructor({ program, args = [], directory, environment, onLog, patience }: ProcessOptions) {
    this.#patience = patience ?? usualPatience;
    // in a process group of its own: what it starts ends with it
    this.#child = spawn(program, args, { cwd: directory, env: environment, detached: true });
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#end();
        resolve();
      };
      this.#child.once("error", end);
      this.#child.once("close", end);
    });
    // a write to a process that has just ended: its end is reported anyway
    this.#child.stdin.on("error", () => undefined);
    createInterface(this.#child.stderr).on("line", onLog);
    createInterface(this.#child.stdout).on("line", (line) => {
      this.#accept(line);
    });
  }

  /** Starts the process. Rejects with ResidentGone when it does not get ready, and as the key does where that is not to be had. */
  static async start(options: ProcessOptions): Promise<ResidentProcess> {
    const started = new ResidentProcess(options);
    const ready = new Promise<string>((resolve) => (started.#ready = resolve));
    await started.#configure(options.passphrase);
    const late = AbortSignal.timeout(started.#patience.startMs);
    const first = await Promise.race([
      ready.then((version) => {
        started.#version = version;
        return "ready" as const;
      }),
      started.#ended.then(() => "ended" as const),
      once(late, "abort").then(() => "late" as const),
    ]);
    if (first === "ready") return started;
    started.kill();
    throw new ResidentGone(`the resident Pulumi ${first === "late" ? "did not become ready" : "ended at once"}`);
  }

  async #configure(passphrase: string | Promise<string>): Promise<void> {
    try {
      this.#write(configureLine(await passphrase));
    } catch (error) {
      this.kill();
      await this.#ended;
      throw error;
    }
  }

  /** Version of the Pulumi that it embeds. */
  get version(): string {
    return this.#version;
  }

  /** Runs that it executed, those in progress included. */
  get runs(): number {
    return this.#next;
  }

  /** Memory of its own when last asked, in bytes. */
  get rss(): number {
    return this.#pong.rss;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Executes a run; `cancel` ends it early, and it still answers. Rejects with ResidentGone when the process ends. */
  run(call: RunCall, onEvent: (event: EngineEvent) => void): RunUnderWay {
    const id = String(this.#next++);
    const { promise, resolve, reject } = Promise.withResolvers<Done>();
    if (this.#isGone) reject(new ResidentGone("the resident Pulumi has ended"));
    else {
      this.#running.set(id, { onEvent, settled: promise, done: resolve, gone: reject });
      this.#watchOver();
      this.#write(runLine(id, call));
    }
    const cancel = (how: "graceful" | "forced"): void => {
      if (this.#running.has(id)) this.#write(cancelLine(id, how));
    };
    const abandon = (): void => {
      this.#running.delete(id);
      reject(new ResidentGone("the resident Pulumi does not end what it was told to end"));
    };
    return { done: promise, cancel, abandon };
  }

  /** From that time on its providers may only read. */
  allowWritesUntil(time: Date): void {
    this.#write(writeUntilLine(time));
  }

  /** Lets its runs end, then itself; ends it if it does not. It must not be asked for further runs. */
  async close(): Promise<void> {
    // the caller that has just been given this process asks it in the same turn
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled([...this.#running.values()].map(({ settled }) => settled));
    this.#child.stdin.end();
    const timer = setTimeout(() => {
      this.kill();
    }, this.#patience.endMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it and what it started at once; its runs reject. */
  kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#isGone) signalTo(-pid, "SIGKILL");
  }

  #accept(line: string): void {
    this.#lastHeard = performance.now();
    let answer: Answer;
    try {
      answer = answerOf(line);
    } catch {
      // a process that does not keep to the protocol cannot be trusted with a state
      this.kill();
      return;
    }
    switch (answer.kind) {
      case "ready":
        this.#ready(answer.pulumi);
        return;
      case "pong":
        this.#pong = answer.pong;
        return;
      case "event":
        this.#running.get(answer.id)?.onEvent(answer.event);
        return;
      case "done":
        this.#running.get(answer.id)?.done(answer.done);
        this.#running.delete(answer.id);
    }
  }

  #write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** While something runs it must answer: one that is frozen is ended, and its runs are repeated. */
  #watchOver(): void {
    if (this.#watch !== undefined) return;
    const { pingEveryMs, silenceMs } = this.#patience;
    this.#lastHeard = performance.now();
    this.#watch = setInterval(() => {
      if (this.#running.size === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      } else if (performance.now() - this.#lastHeard > silenceMs) this.kill();
      else this.#write(pingLine);
    }, pingEveryMs);
    this.#watch.unref();
  }

  #end(): void {
    this.#isGone = true;
    clearInterval(this.#watch);
    for (const { gone } of this.#running.values()) gone(new ResidentGone("the resident Pulumi ended during a run"));
    this.#running.clear();
  }
}
