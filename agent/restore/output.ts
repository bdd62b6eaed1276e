// Programs that a restore has do something, and what they print.
import { spawn } from "node:child_process";
import { textOf } from "../log";

/** A program failed. */
export class ProgramFailed extends Error {
  constructor(
    readonly command: string,
    /** Null where it was killed. */
    readonly code: number | null,
    message: string,
    /** What it printed, complaints aside. */
    readonly printed: string,
  ) {
    super(message);
  }
}

/** In what a program runs. */
export interface Surroundings {
  /** Default: that of this process. */
  readonly directory?: string;
  /** Beside that of this process. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program and returns what it printed. Throws a ProgramFailed, with what it complained of, where it fails. */
export async function output(
  command: string,
  args: readonly string[],
  { directory, environment }: Surroundings = {},
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment, LC_ALL: "C" },
    ...(directory !== undefined && { cwd: directory }),
  });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    return text;
  });
  const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const [{ code, signal }, [printed = "", complaint = ""]] = await Promise.all([ended, Promise.all(texts)]);
  if (code === 0) return printed;
  const how = signal === null ? "failed" : `was ended by ${signal}`;
  throw new ProgramFailed(
    command,
    code,
    `${command} ${how}: ${textOf(complaint === "" ? printed : complaint)}`,
    printed,
  );
}
