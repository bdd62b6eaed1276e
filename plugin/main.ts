// `kubectl database-operator`: the process. kubectl runs it with everything that stands behind the name.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text as textIn } from "node:stream/consumers";
import { completionFile } from "./command/name";
import { Trouble, troubleText } from "./command/trouble";
import type { World } from "./command/world";
import { runCommand } from "./run";

const world: World = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  ask: async (question) => (await import("./ask.js")).ask(question),
  environment: process.env,
  now: () => new Date(),
  open: async (reach) => (await import("./cluster/client.js")).openCluster(reach),
  contexts: async (kubeconfig) => (await import("./cluster/access.js")).contextsOf(kubeconfig),
  read: (file) => (file === "-" ? textIn(process.stdin) : fileText(file)),
  // the signal that ends the process is enough
  stopped: new AbortController().signal,
  kubectl: async (args, input) => (await import("./kubectl.js")).kubectl(args, input),
};

async function fileText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Trouble(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** A reader that has seen enough, such as `head`, ends it as a signal would: also what stays, and what has not told all. */
const brokenPipe = 128 + 13;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.stderr.write(troubleText(new Error(`cannot write: ${error.message}`)));
  process.exit(error.code === "EPIPE" ? brokenPipe : 2);
});

// 1 would say that something is not so
process.on("uncaughtException", (error) => {
  process.stderr.write(troubleText(error));
  process.exit(2);
});

// linked to under the name of its completion it completes
const isCompletion = basename(process.argv[1] ?? "") === completionFile;
const args = process.argv.slice(2);
void runCommand(isCompletion ? ["__complete", ...args] : args, world).then((code) => {
  process.exitCode = code;
  // a shell that completes waits for its end: nothing that is open still may hold it up
  if (isCompletion || args[0]?.startsWith("__complete") === true) process.stdout.write("", () => process.exit());
});
