// An edit of the spec until the child shows it; ours, stock and floor take turns.
import { setTimeout as sleep } from "node:timers/promises";
import { configMapName } from "../../../components/naming";
import { resources } from "../../../operator/kube/paths";
import { editDatabase, keyOf, patienceMs, secondsSince, type Bench, type Place } from "../bench";
import { watching } from "../instruments/object-watch";
import { median } from "../instruments/percentile";
import type { ProcessGroup } from "../instruments/process-group";
import { shows, workMems } from "../spec";
import { mean, type Created } from "./create";

const changed = workMems.updated;

interface Sample {
  readonly seconds: number;
  readonly cpu: number;
}

export async function measureUpdate(bench: Bench, created: Created): Promise<void> {
  const { figures, progress, operator, stock, floor, cluster, databases } = bench;
  const samples = { ours: new Array<Sample>(), stock: new Array<Sample>(), floor: new Array<Sample>() };
  await progress.step("one update at a time", async (detail) => {
    for (const [index, place] of created.ours.entries()) {
      detail(`${index + 1} of ${created.ours.length}`);
      const next = (databases.get(keyOf(place))?.generation ?? 0) + 1;
      const edit = async (): Promise<void> => {
        await editDatabase(cluster.client, place, changed);
        await databases.untilReady(keyOf(place), patienceMs, next);
      };
      samples.ours.push(await updateOne(bench, place, operator.group, edit));
      for (const [side, baseline] of [
        ["stock", stock],
        ["floor", floor],
      ] as const) {
        const theirs = created[side][index];
        if (theirs === undefined) continue;
        const ask = (): Promise<unknown> => baseline.ask({ do: "update", ...theirs, workMem: changed });
        samples[side].push(await updateOne(bench, theirs, baseline.group, ask));
      }
    }
  });
  const seconds = (side: readonly Sample[]): number => median(side.map((sample) => sample.seconds));
  const cpu = (side: readonly Sample[]): number => mean(side.map((sample) => sample.cpu));
  const of = (figure: (side: readonly Sample[]) => number): Record<"ours" | "stock" | "floor", number> => ({
    ...{ ours: figure(samples.ours), stock: figure(samples.stock), floor: figure(samples.floor) },
  });
  figures.set("update_p50_s", of(seconds));
  figures.set("cpu_per_update_s", of(cpu));
}

async function updateOne(
  { cluster }: Bench,
  { namespace, name }: Place,
  group: ProcessGroup,
  update: () => Promise<unknown>,
): Promise<Sample> {
  const place = { resource: resources.configMaps, namespace, name: configMapName(name) };
  return watching(cluster.client, place, async (until) => {
    const cpu = group.cpuSeconds();
    // a value that was there before would be seen at once
    await until((object) => shows(workMems.created)(object) && !shows(changed)(object), "the value of the creation");
    const began = performance.now();
    const seen = until(shows(changed), "the update");
    const [end] = await Promise.all([seen, update()]);
    await sleep(250);
    return { seconds: secondsSince(began, end), cpu: group.cpuSeconds() - cpu };
  });
}
