// A server that runs in this process' pod alone, for some work of a Job: waited for, and ended cleanly when that is done.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../log";

const pauseMs = 200;
const longestLine = 400;

/** What is started, with its output in the log. */
export interface PrivateProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Asks it something; throws where it does not answer yet. */
  readonly ask: () => Promise<unknown>;
  /** Whether a line of its output says what is wrong. Default: none is known to. */
  readonly isComplaint?: (line: string) => boolean;
}

/**
 * Does the work once the server answers, however long a recovery takes, and ends it with all on disk. Throws where it does not start, or ends
 * otherwise. Where the work fails it is ended at once: nothing of it is needed. What it complained of last is part of the error.
 */
export async function whileItRuns(program: PrivateProgram, work: () => Promise<void>): Promise<void> {
  const { command, args, environment, ask, isComplaint = () => false } = program;
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
  try {
    await untilItAnswers(ask, () => end);
    await work();
    if (!isOver()) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    if (child.exitCode !== 0) throw new Error(`the private server did not end cleanly: ${end ?? "it never ran"}`);
  } catch (error) {
    const last = complaint();
    throw last === undefined ? error : new Error(`${textOf(error)}; its server said: ${last}`, { cause: error });
  } finally {
    if (!isOver()) child.kill("SIGKILL");
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

async function untilItAnswers(ask: PrivateProgram["ask"], end: () => string | undefined): Promise<void> {
  let why = "";
  for (;;) {
    const ended = end();
    if (ended !== undefined) throw new Error(`the private server does not start: ${ended}${why}`);
    try {
      await ask();
      return;
    } catch (error) {
      why = ` (${textOf(error)})`;
    }
    await delay(pauseMs);
  }
}
