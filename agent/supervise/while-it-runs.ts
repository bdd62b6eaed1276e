// A server that runs in this process' pod alone, for some work of a Job: waited for, and ended cleanly when that is done.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../log";

const pauseMs = 200;
const longestLine = 400;

/** How long a server that is ending may take for it, in milliseconds: one that found damage first writes where it was. */
const endingMs = 5_000;

/** The server ended by itself: it does not start, or did so while something was done with it. */
export class ServerEnded extends Error {
  constructor(
    message: string,
    /** By which it ended; null where it did not end by one. */
    readonly signal: NodeJS.Signals | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What is started, with its output in the log. */
export interface PrivateProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Asks it something; throws where it does not answer yet. */
  readonly ask: () => Promise<unknown>;
  /** Whether a line of its output says what is wrong. Default: none is known to. */
  readonly isComplaint?: ((line: string) => boolean) | undefined;
  /** Ends it at once. Default: nothing does. */
  readonly over?: AbortSignal | undefined;
}

/**
 * Does the work once the server answers, however long a recovery takes, and ends it with all on disk. Throws where it does not start, or ends
 * otherwise. Where the work fails it is ended at once: nothing of it is needed. What it complained of last is part of the error.
 */
export async function whileItRuns(program: PrivateProgram, work: () => Promise<void>): Promise<void> {
  const { command, args, environment, ask, over, isComplaint = () => false } = program;
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "pipe"], env: environment });
  const complaint = lastOf(child.stderr, isComplaint);
  let end: string | undefined;
  child.once("error", (error) => {
    end = textOf(error);
  });
  child.once("exit", (code, signal) => {
    end = `it ended with ${code ?? signal ?? "an unknown signal"}; its own words are above`;
  });
  const isOver = (): boolean => end !== undefined;
  const kill = (): void => {
    if (!isOver()) child.kill("SIGKILL");
  };
  over?.addEventListener("abort", kill);
  const ended = (what: string, cause?: unknown): ServerEnded =>
    new ServerEnded(`${what}: ${end ?? "it never ran"}`, child.signalCode, { cause });
  try {
    const why = await untilItAnswers(ask, isOver);
    if (why !== undefined)
      throw new ServerEnded(`the private server does not start: ${end ?? ""}${why}`, child.signalCode);
    await work().catch(async (error: unknown) => {
      throw (await endsSoon(ask, isOver))
        ? ended(`the private server ended meanwhile (${textOf(error)})`, error)
        : error;
    });
    if (!isOver()) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    }
    if (child.exitCode !== 0) throw ended("the private server did not end cleanly");
  } catch (error) {
    throw withComplaint(error, complaint());
  } finally {
    over?.removeEventListener("abort", kill);
    kill();
  }
}

/** Passes on what it prints, and returns the last line that is meant. */
function lastOf(stream: Readable, isMeant: (line: string) => boolean): () => string | undefined {
  let last: string | undefined;
  stream.on("data", (bytes: Buffer) => process.stderr.write(bytes));
  createInterface({ input: stream }).on("line", (line) => {
    if (isMeant(line)) last = line.trim().slice(0, longestLine);
  });
  return () => last;
}

function withComplaint(error: unknown, last: string | undefined): unknown {
  if (last === undefined) return error;
  const text = `${textOf(error)}; its server said: ${last}`;
  return error instanceof ServerEnded
    ? new ServerEnded(text, error.signal, { cause: error })
    : new Error(text, { cause: error });
}

/** Returns what it last answered where it has ended; undefined once it answers. */
async function untilItAnswers(ask: PrivateProgram["ask"], isOver: () => boolean): Promise<string | undefined> {
  let why = "";
  for (;;) {
    if (isOver()) return why;
    try {
      await ask();
      return undefined;
    } catch (error) {
      why = ` (${textOf(error)})`;
    }
    await delay(pauseMs);
  }
}

/** Whether it has ended, or does so instead of answering. One that does neither is not waited for. */
async function endsSoon(ask: PrivateProgram["ask"], isOver: () => boolean): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(endingMs, "late" as const, { signal: patience.signal }).catch(() => "late" as const);
  try {
    while (!isOver()) {
      const answer = ask().then(
        () => "here" as const,
        () => "gone" as const,
      );
      if ((await Promise.race([answer, late])) !== "gone") break;
      await delay(pauseMs);
    }
    return isOver();
  } finally {
    patience.abort();
  }
}
