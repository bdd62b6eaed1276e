// Programs that a restore has do something, and what they print.
import { spawn } from "node:child_process";
import { textOf } from "../log";

/** Runs a program and returns what it printed. Throws, with what it complained of, where it fails. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    return text;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [code, [printed = "", complaint = ""]] = await Promise.all([ended, Promise.all(texts)]);
  if (code !== 0) throw new Error(`${command} failed: ${textOf(complaint === "" ? printed : complaint)}`);
  return printed;
}
