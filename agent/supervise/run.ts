// Runs a program to its end.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs it, with its output in the log. Throws where it fails. */
export async function runToEnd(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], env: cleanEnvironment() });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) throw new Error(`${command} failed (${signal ?? code ?? "?"}): see its messages above`);
}

/** The environment of programs that must not know any secret. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", LANG = "C.UTF-8", HOME = "/tmp", TZ = "UTC" } = process.env;
  return { PATH, LANG, HOME, TZ, ...more };
}
