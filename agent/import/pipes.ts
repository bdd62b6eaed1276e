// Programs that dump and load, alone or with a pipe between them. What they complain of is in the log, and its end in the error.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { textOf } from "../log";
import { complaintIn, withoutValues } from "./complaints";

/** A program, without any secret in its arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const progressMs = 30_000;

/** How much of what it complained of is remembered. */
const mostRemembered = 2_048;

/** One that was started. */
interface Running {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  /** Throws where it fails. */
  readonly ended: Promise<void>;
}

function begin({ command, args, environment }: Program, input: "ignore" | "pipe"): Running {
  const child = spawn(command, args, { stdio: [input, "pipe", "pipe"], env: environment });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error(`${command} has no output`);
  let said = "";
  const tell = withoutValues();
  createInterface({ input: stderr }).on("line", (line) => {
    const told = tell(line);
    if (told === undefined) return;
    process.stderr.write(`${told}\n`);
    said = `${said}${told}\n`.slice(-mostRemembered);
  });
  const ended = once(child, "close").then(([code, signal]: unknown[]) => {
    const how = typeof signal === "string" ? `was ended by ${signal}` : "failed";
    if (code !== 0) throw new Error(`${command} ${how}: ${complaintIn(said)}`);
  });
  // it is awaited later
  ended.catch(() => undefined);
  return { child, stdout, ended };
}

/** Runs it and returns what it printed. */
export async function printedBy(program: Program): Promise<string> {
  const { stdout, ended } = begin(program, "ignore");
  let text = "";
  for await (const chunk of stdout.setEncoding("utf8")) text += String(chunk);
  await ended;
  return text;
}

/** Runs it, with what it prints in a file. */
export async function intoFile(program: Program, file: string): Promise<void> {
  const { stdout, ended } = begin(program, "ignore");
  await pipeline(stdout, createWriteStream(file, { mode: 0o600 }));
  await ended;
}

/** What becomes of the output of one program on its way to another. */
export type Through = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

const unchanged: Through = (chunks) => chunks;

/** Gives the output of one to the other. Throws what the first one to fail says: the other fails for that. `through`: default unchanged. */
export async function piped(
  from: Program,
  to: Program,
  log: (message: string) => void,
  through: Through = unchanged,
): Promise<void> {
  const [source, target] = [begin(from, "ignore"), begin(to, "pipe")];
  target.stdout.resume();
  let bytes = 0;
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const progress = setInterval(() => {
    log(`loaded ${Math.floor(bytes / 1024 ** 2)} MiB`);
  }, progressMs);
  const both = [source, target];
  const input = target.child.stdin;
  let broken: Error | undefined;
  try {
    if (input === null) throw new Error(`${to.command} takes no input`);
    const passing = pipeline(source.stdout, counted, through, input).catch((error: unknown) => {
      broken = errorOf(error);
    });
    const failure = await Promise.all(both.map(({ ended }) => ended)).then(() => undefined, errorOf);
    await passing;
    // of a pipe that breaks the programs say why, where they do not end well all the same
    if (failure !== undefined && isOfThePipe(broken)) throw failure;
    if (broken !== undefined) throw broken;
  } finally {
    clearInterval(progress);
    for (const { child } of both) child.kill("SIGKILL");
  }
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(textOf(error)));

const pipeCodes: ReadonlySet<unknown> = new Set([
  ...["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"],
]);

const isOfThePipe = (error: Error | undefined): boolean =>
  error === undefined || ("code" in error && pipeCodes.has(error.code));
