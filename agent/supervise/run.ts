// Runs a program to its end.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** A program failed. */
export class RunFailed extends Error {
  constructor(
    command: string,
    /** Null where it was killed. */
    readonly code: number | null,
    signal: string | null,
  ) {
    super(`${command} failed (${signal ?? code ?? "?"}): see its messages above`);
  }
}

/** Runs it, with its output in the log. Throws a RunFailed where it fails. */
export async function runToEnd(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], env: cleanEnvironment() });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) throw new RunFailed(command, code, signal);
}

/** The environment of programs that must not know any secret. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", LANG = "C.UTF-8", HOME = "/tmp", TZ = "UTC" } = process.env;
  return { PATH, LANG, HOME, TZ, ...more };
}
