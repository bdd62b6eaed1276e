// Deletions: one at a time, and many at once.
import { setTimeout as sleep } from "node:timers/promises";
import {
  deleteDatabase,
  forEach,
  keyOf,
  patienceMs,
  crowdPatienceMs,
  secondsSince,
  type Bench,
  type Place,
} from "../bench";
import { median } from "../instruments/percentile";
import type { Created } from "./create";

export async function measureDeletion(bench: Bench, created: Created): Promise<void> {
  const { figures, progress, cluster, databases, stock, floor } = bench;
  const samples = { ours: new Array<number>(), stock: new Array<number>(), floor: new Array<number>() };
  await progress.step("one deletion at a time", async (detail) => {
    for (const [index, place] of created.ours.entries()) {
      detail(`${index + 1} of ${created.ours.length}`);
      const began = performance.now();
      const gone = databases.untilGone(keyOf(place), patienceMs);
      await deleteDatabase(cluster.client, place);
      samples.ours.push(secondsSince(began, await gone));
      await sleep(250);
      for (const [side, baseline] of [
        ["stock", stock],
        ["floor", floor],
      ] as const) {
        const theirs = created[side][index];
        if (theirs !== undefined) samples[side].push((await baseline.ask({ do: "delete", ...theirs })).seconds);
      }
    }
  });
  const { ours, stock: stocks, floor: floors } = samples;
  figures.set("delete_p50_s", { ours: median(ours), stock: median(stocks), floor: median(floors) });
}

/** How many at once people and scripts ask for. */
const requestsAtOnce = 16;

/** Deletes all of them at once; returns seconds until the last is gone. */
export async function deleteAll({ cluster, databases }: Bench, places: readonly Place[]): Promise<number> {
  const began = performance.now();
  const gone = Promise.all(places.map((place) => databases.untilGone(keyOf(place), crowdPatienceMs)));
  await forEach(places, requestsAtOnce, (place) => deleteDatabase(cluster.client, place));
  return secondsSince(began, Math.max(...(await gone)));
}
