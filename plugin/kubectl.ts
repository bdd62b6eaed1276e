// kubectl as a program: it is there, as it runs the plugin.
import { spawn } from "node:child_process";
import { Trouble } from "./command/trouble";
import type { KubectlEnd } from "./command/world";

/** Runs it with `input` as its standard input. Throws a Trouble where it is not on PATH. */
export function kubectl(args: readonly string[], input: string): Promise<KubectlEnd> {
  const child = spawn("kubectl", args, { stdio: ["pipe", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  // one that ends without reading its input is judged by its exit code
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", ({ message }) => {
      reject(new Trouble(`cannot run kubectl: ${message}`, ["put it on PATH"]));
    });
    child.on("close", (code) => {
      resolve({ code, ...printed });
    });
  });
}
