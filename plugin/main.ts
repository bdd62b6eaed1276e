// `kubectl database-operator`: the process. kubectl runs it with everything that stands behind the name.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text as textIn } from "node:stream/consumers";
import { completionFile } from "./command/name";
import { Trouble } from "./command/trouble";
import type { World } from "./command/world";
import { runCommand } from "./run";

const world: World = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  environment: process.env,
  now: () => new Date(),
  open: async (reach) => (await import("./cluster/client.js")).openCluster(reach),
  contexts: async (kubeconfig) => {
    const { kubeconfigAt } = await import("./cluster/access.js");
    return kubeconfigAt(kubeconfig)
      .getContexts()
      .map(({ name }) => name);
  },
  read: (file) => (file === "-" ? textIn(process.stdin) : fileText(file)),
  // the signal that ends the process is enough
  stopped: new AbortController().signal,
  kubectl: async (args, input) => (await import("./kubectl.js")).kubectl(args, input),
  confirm: async (question) => (await import("./confirm.js")).confirm(question),
};

async function fileText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Trouble(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** A reader that has seen enough, such as `head`, is no error. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// linked to under the name of its completion it completes
const isCompletion = basename(process.argv[1] ?? "") === completionFile;
const args = process.argv.slice(2);
void runCommand(isCompletion ? ["__complete", ...args] : args, world).then((code) => {
  process.exitCode = code;
});
