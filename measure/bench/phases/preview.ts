// Previews of a change: in a warm process, by the whole command, and by the stock Automation API.
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../../tools/platform/platform";
import { secondsSince, type Bench, type Place } from "../bench";
import { startBaseline } from "../baselines/process";
import { median } from "../instruments/percentile";
import { objectOf, workMems } from "../spec";
import type { Created } from "./create";

const { previewed } = workMems;

export async function measurePreview(bench: Bench, created: Created): Promise<void> {
  const { figures, progress, cluster, stock, size } = bench;
  const ours: number[] = [];
  const stocks: number[] = [];
  const previewer = await startBaseline("previewer", cluster.environment);
  try {
    await progress.step("previews in a warm process", async () => {
      const [first] = created.ours;
      if (first !== undefined) await previewer.ask({ do: "preview", ...first, workMem: previewed });
      for (const [index, place] of created.ours.entries()) {
        ours.push((await previewer.ask({ do: "preview", ...place, workMem: previewed })).seconds);
        const theirs = created.stock[index];
        if (theirs === undefined) continue;
        stocks.push((await stock.ask({ do: "preview", ...theirs, workMem: previewed })).seconds);
      }
    });
  } finally {
    await previewer.stop();
  }
  figures.set("preview_p50_s", { ours: median(ours), stock: median(stocks) });
  const commands: number[] = [];
  await progress.step("previews by `make preview`", async () => {
    // once more than is counted: the first one compiles
    for (const place of [...created.ours.slice(0, 1), ...created.ours.slice(0, size.previewCommands)]) {
      commands.push(await previewCommand(bench, place));
    }
  });
  figures.set("preview_command_p50_s", { ours: median(commands.slice(1)) });
}

async function previewCommand({ cluster }: Bench, { namespace, name }: Place): Promise<number> {
  const file = join(cluster.directory, "preview.json");
  await writeFile(file, JSON.stringify(objectOf(namespace, name, previewed)));
  const began = performance.now();
  const child = spawn("make", ["preview", `FILE=${file}`], {
    cwd: projectRoot,
    env: { ...process.env, ...cluster.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // make has an exit code of its own for a program that says that something would change
  if (!output.includes(`${previewed}MB`)) throw new Error(`make preview does not show the change:\n${output}`);
  return secondsSince(began);
}
