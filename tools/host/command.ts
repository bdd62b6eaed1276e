// Runs programs of the host: output captured, optionally shown line by line, errors that carry the end of what was printed.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Receives one line of progress, without the newline. */
export type Log = (line: string) => void;

/** How a program is run. */
export interface CommandOptions {
  /** Called for each line the program prints, on either stream. Default: nothing is shown. */
  log?: Log;
  /** Written to standard input. Default: empty input. */
  input?: string;
  /** Working directory. Default: the caller's. */
  cwd?: string;
  /** Variables set on top of the caller's environment. */
  env?: Readonly<Record<string, string>>;
  /** Ends the program with SIGTERM when aborted. */
  signal?: AbortSignal;
}

/** A program that could not be started, or that ended with another code than 0. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  /** `code` is null when the program did not start or was ended by a signal; `printed` is the end of both its streams. */
  constructor(
    readonly command: string,
    readonly code: number | null,
    readonly printed: string,
    cause?: unknown,
  ) {
    super(`${command}: ${code === null ? "did not finish" : `exit code ${code}`}${printed && `\n${printed}`}`, {
      cause,
    });
  }
}

const KEPT_LINES = 30;

/** Directories of system programs that an ordinary user's PATH often lacks. */
const SYSTEM_DIRECTORIES = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** PATH extended by the directories of system programs. */
export function systemPath(path = process.env["PATH"] ?? ""): string {
  return [...new Set([...path.split(":").filter(Boolean), ...SYSTEM_DIRECTORIES])].join(":");
}

/** Runs a program to its end and returns its standard output. Throws `CommandError` unless it ends with code 0. */
export async function run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: options.cwd,
    env: { ...process.env, ...options.env, PATH: systemPath(options.env?.["PATH"]) },
    signal: options.signal,
  });
  const tail: string[] = [];
  const output: string[] = [];
  const listen = (stream: NodeJS.ReadableStream, keep?: string[]): void => {
    createInterface({ input: stream }).on("line", (line) => {
      keep?.push(line);
      tail.push(line);
      if (tail.length > KEPT_LINES) tail.shift();
      options.log?.(line);
    });
  };
  listen(child.stdout, output);
  listen(child.stderr);
  // a program that ends without reading its input is judged by its exit code
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const command = [program, ...args].join(" ");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (cause) => {
      reject(new CommandError(command, null, cause.message, cause));
    });
    child.on("close", resolve);
  });
  if (code !== 0) throw new CommandError(command, code, tail.join("\n"));
  return output.join("\n");
}

/** Like `run`, but answers whether the program ended with code 0 instead of throwing. */
export async function succeeds(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<boolean> {
  try {
    await run(program, args, options);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}
