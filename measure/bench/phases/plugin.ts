// How long people wait for the kubectl plugin, beside `kubectl get`: from the start of the process to its end.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildPlugin } from "../../../tools/plugin/build";
import { patienceMs, secondsSince, type Bench, type Place } from "../bench";
import { median } from "../instruments/percentile";

export async function measurePlugin({ figures, progress, cluster, size }: Bench, place: Place): Promise<void> {
  const { program } = await buildPlugin(join(cluster.directory, "plugin"));
  const env = { ...process.env, ...cluster.environment, KUBECACHEDIR: join(cluster.directory, "kubectl-cache") };
  const { namespace, name } = place;
  const commands = {
    help: [process.execPath, program, "--help"],
    status: [process.execPath, program, "status", name, "-n", namespace],
    kubectlHelp: ["kubectl", "--help"],
    kubectlGet: ["kubectl", "get", "database", name, "-n", namespace],
  } as const;
  const taken: Record<keyof typeof commands, number[]> = { help: [], status: [], kubectlHelp: [], kubectlGet: [] };
  await progress.step("the kubectl plugin", async (detail) => {
    // they take turns, so that noise hits all of them; the first round, while files and caches are read, does not count
    for (let round = 0; round <= size.samples; round++) {
      detail(`${round} of ${size.samples}`);
      for (const key of ["help", "status", "kubectlHelp", "kubectlGet"] as const) {
        const seconds = await secondsOf(commands[key], env);
        if (round > 0) taken[key].push(seconds);
      }
    }
  });
  figures.set("plugin_help_p50_s", { ours: median(taken.help), floor: median(taken.kubectlHelp) });
  figures.set("plugin_status_p50_s", { ours: median(taken.status), floor: median(taken.kubectlGet) });
}

/** Throws where it does not end with 0. */
async function secondsOf([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"], timeout: patienceMs });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${[program, ...args].join(" ")} ended with ${code ?? "a signal"}: ${errors}`);
  return secondsSince(began);
}
