// The operator with the CLI implementation alone: a smaller set of the same figures.
import { makeNamespaces, placesIn, type Bench } from "../bench";
import { median } from "../instruments/percentile";
import { createOne, mean } from "./create";
import { deleteAll } from "./delete";
import { createAll } from "./throughput";

const namespace = "bench-cli";

/** `bench.operator` has the CLI alone. Stock's figures of the same run stand beside it. */
export async function measureCli(bench: Bench): Promise<void> {
  const { size, figures, progress, cluster, operator } = bench;
  await makeNamespaces(cluster.client, namespace);
  const single = placesIn(namespace, size.cliSamples + 1);
  const seconds: number[] = [];
  const cpu: number[] = [];
  await progress.step("with the CLI alone: one at a time", async (detail) => {
    for (const [index, place] of single.entries()) {
      detail(`${index + 1} of ${single.length}`);
      const before = operator.group.cpuSeconds();
      seconds.push((await createOne(bench, place)).children);
      cpu.push(operator.group.cpuSeconds() - before);
    }
  });
  const batch = placesIn(namespace, size.batch, "batch");
  const made = await progress.step(`with the CLI alone: ${batch.length} at once`, () => createAll(bench, batch));
  const stockOf = (name: string): number | null => figures.all.find((row) => row.name === name)?.stock ?? null;
  figures.set("create_p50_s_cli", { ours: median(seconds.slice(1)), stock: stockOf("create_p50_s") });
  figures.set("create_per_s_cli", { ours: batch.length / made.children, stock: stockOf("create_per_s") });
  figures.set("cpu_per_create_s_cli", { ours: mean(cpu.slice(1)), stock: stockOf("cpu_per_create_s") });
  figures.set("peak_all_mb_cli", { ours: operator.sampler.peakBytes / 1e6 });
  await operator.idle();
  await progress.step("removing what was made", () => deleteAll(bench, [...single, ...batch]));
}
