// The volume provisioner's process: runs in the node's namespaces for as long as the node.
import { mkdir } from "node:fs/promises";
import { Command } from "commander";
import { openApi } from "../../api";
import { type ControllerArgs, mountExisting, reconcileAll } from "./controller";
import { watchChanges } from "./watch";

interface Options {
  kubeconfig: string;
  node: string;
  files: string;
  mounts: string;
}

const RETRY_MILLISECONDS = 1000;

async function main(): Promise<void> {
  const program = new Command("volumes")
    .description("Makes, grows and removes volumes: file systems in files, mounted by loop devices.")
    .requiredOption("--kubeconfig <file>", "how to reach the API server")
    .requiredOption("--node <name>", "node that has the volumes")
    .requiredOption("--files <directory>", "where the files are kept")
    .requiredOption("--mounts <directory>", "where they are mounted");
  await program.parseAsync();
  const options = program.opts<Options>();
  await mkdir(options.files, { recursive: true });
  const at: ControllerArgs = { ...options, api: await openApi(options.kubeconfig), log: console.log };
  await mountExisting(at);
  watchChanges(options.kubeconfig, serialized(at));
}

/** A function that asks for a look at everything: one look at a time, and one more when it was asked for meanwhile. */
function serialized(at: ControllerArgs): () => void {
  let running = false;
  let asked = false;
  const look = async (): Promise<void> => {
    running = true;
    while (asked) {
      asked = false;
      const succeeded = await reconcileAll(at).catch((error: unknown) => {
        at.log(String(error));
        return false;
      });
      if (!succeeded) setTimeout(ask, RETRY_MILLISECONDS);
    }
    running = false;
  };
  const ask = (): void => {
    asked = true;
    if (!running) void look();
  };
  return ask;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
