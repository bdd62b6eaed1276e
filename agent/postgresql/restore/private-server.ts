// A server that runs in this process' pod alone, from its files on: it replays the WAL of the copy and takes statements by its socket.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../../log";
import { openSession, type Session, type SessionArgs } from "../server/connection";

const pauseMs = 200;

/** How long it may refuse a session after it says that it takes statements, in milliseconds: by then that is no chance. */
const refusalMs = 60_000;

/** How long what it says may be that is remembered. */
const mostRemembered = 65_536;

/** What it says when it takes statements. */
const ready = /database system is ready to accept (read-only )?connections/;

/** What it says once all WAL was there without which the copy is no data: long before the end, where there is much behind that. */
const consistent = /^.*consistent recovery state reached.*$/m;

/** See the header. */
export class PrivateServer {
  readonly #child: ChildProcess;
  /** The end of what it said. */
  #said = "";
  #isReady = false;
  #consistent = "";
  #end: string | undefined;

  /** Starts it. `args`: of `postgres`. `environment`: what its own commands need beside that of this process. */
  constructor(args: readonly string[], command = "postgres", environment: Readonly<Record<string, string>> = {}) {
    const child = spawn(command, args, {
      stdio: ["ignore", "inherit", "pipe"],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => {
      process.stderr.write(chunk);
      const said = this.#said + chunk.toString();
      this.#isReady ||= ready.test(said);
      if (this.#consistent === "") this.#consistent = consistent.exec(said)?.[0] ?? "";
      this.#said = said.slice(-mostRemembered);
    });
    this.#child.once("error", (error) => {
      this.#end = textOf(error);
    });
    this.#child.once("exit", (code, signal) => {
      this.#end = `it ended with ${code ?? signal ?? "an unknown signal"}; its own words are above`;
    });
  }

  /** The end of what it has said so far, and that it was consistent. */
  get said(): string {
    return consistent.test(this.#said) ? this.#said : `${this.#consistent}\n${this.#said}`;
  }

  /** How it ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** A session once recovery is over, however long that takes. Throws where the server ends before, or lets no one in. `refusal`: for how long. */
  async session(args: SessionArgs, refusal = refusalMs): Promise<Session> {
    let refusedSince: number | undefined;
    for (;;) {
      if (this.#end !== undefined) throw new Error(`the server does not start with the copy: ${this.#end}`);
      // who asks before is refused, and that is said each time
      const session = this.#isReady ? await openSession(args).catch(errorOf) : undefined;
      if (session instanceof Error) {
        refusedSince ??= performance.now();
        if (performance.now() - refusedSince >= refusal) throw session;
      } else if (session !== undefined) {
        refusedSince = undefined;
        if (await isOver(session)) return session;
      }
      await delay(pauseMs);
    }
  }

  /** Ends it, with all on disk. Throws where it ended otherwise. */
  async stop(): Promise<void> {
    if (this.#end === undefined) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGINT");
      await ended;
    }
    if (this.#child.exitCode !== 0)
      throw new Error(`the server did not end cleanly: ${this.#end ?? "it was never started"}`);
  }

  /** Ends it at once, where it runs: nothing of it is needed. Until it has ended, it may write. */
  async abandon(): Promise<void> {
    if (this.#end !== undefined) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGQUIT");
    await ended;
  }
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(textOf(error)));

async function isOver(session: Session): Promise<boolean> {
  const [[isRecovering] = []] = await session.rows("SELECT pg_is_in_recovery()");
  if (isRecovering === false) return true;
  session.close();
  return false;
}
