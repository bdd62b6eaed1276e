// New Databases per second: batches of each take turns.
import {
  applyDatabase,
  childrenOf,
  crowdPatienceMs,
  forEach,
  keyOf,
  makeNamespaces,
  placesIn,
  secondsSince,
  type Bench,
  type Place,
} from "../bench";
import type { BaselineProcess } from "../baselines/process";
import { deleteAll } from "./delete";

/** Databases that the floor's process creates at the same time. */
const floorAtOnce = 4;
/** Requests at once of the client that applies a batch. */
const applyAtOnce = 16;

/** Seconds of a batch. */
export interface Batch {
  readonly children: number;
  readonly ready: number;
  /** After which seconds the children of each were there, in order. */
  readonly each: readonly number[];
}

/** Applies all of them at once. */
export async function createAll(bench: Bench, places: readonly Place[]): Promise<Batch> {
  const { cluster, children, databases } = bench;
  const names = await Promise.all(places.map((place) => childrenOf(bench, place)));
  const began = performance.now();
  const complete = places.map((place, index) => children.untilAll(keyOf(place), names[index] ?? [], crowdPatienceMs));
  const all = Promise.all(complete);
  await forEach(places, applyAtOnce, (place) => applyDatabase(cluster.client, place));
  const made = (await all).map((at) => secondsSince(began, at)).sort((left, right) => left - right);
  const ready = await Promise.all(places.map((place) => databases.untilReady(keyOf(place), crowdPatienceMs)));
  return { children: made.at(-1) ?? 0, ready: secondsSince(began, Math.max(...ready)), each: made };
}

/** Too few say nothing about a slope. */
const fewest = 50;

/** How much longer each of the last fifth took than each of the first; undefined for too few. Times are seconds since a common start, in order. */
export function slopeOf(each: readonly number[]): number | undefined {
  const count = Math.floor(each.length / 5);
  const [first, before, last] = [each[count - 1], each[each.length - 1 - count], each.at(-1)];
  if (each.length < fewest || first === undefined || before === undefined || last === undefined) return undefined;
  return (last - before) / first;
}

/** Seconds that a baseline takes for all of them, `atOnce` at a time. */
export async function createAllWith(
  baseline: BaselineProcess,
  places: readonly Place[],
  atOnce: number,
): Promise<number> {
  const began = performance.now();
  await forEach(places, atOnce, async (place) => {
    await baseline.ask({ do: "create", ...place });
  });
  return secondsSince(began);
}

/** Sums over the rounds. */
class Rate {
  #count = 0;
  #seconds = 0;

  add(count: number, seconds: number): void {
    this.#count += count;
    this.#seconds += seconds;
  }

  get perSecond(): number {
    return this.#count / this.#seconds;
  }
}

export async function measureThroughput(bench: Bench): Promise<void> {
  const { size, figures, progress, cluster, stock, floor, workers, operator } = bench;
  const created = { ours: new Rate(), stock: new Rate(), equal: new Rate(), floor: new Rate() };
  const deleted = new Rate();
  for (let round = 0; round < size.rounds; round += 1) {
    const namespace = (side: string): string => `batch-${side}-${round}`;
    const sides = ["ours", "stock", "equal", "floor"] as const;
    await makeNamespaces(cluster.client, ...sides.map(namespace));
    await progress.step(`batches, round ${round + 1} of ${size.rounds}`, async (detail) => {
      detail("ours");
      const ours = placesIn(namespace("ours"), size.batch);
      created.ours.add(size.batch, (await createAll(bench, ours)).children);
      await operator.idle();
      deleted.add(size.batch, await deleteAll(bench, ours));
      detail("stock, one worker");
      const one = placesIn(namespace("stock"), size.stockBatch);
      created.stock.add(size.stockBatch, await createAllWith(stock, one, 1));
      detail(`stock, ${workers} workers`);
      // as many as the workers can share evenly
      const several = placesIn(namespace("equal"), Math.max(size.stockBatch, 2 * workers));
      created.equal.add(several.length, await createAllWith(stock, several, workers));
      detail("floor");
      const plain = placesIn(namespace("floor"), size.batch);
      created.floor.add(size.batch, await createAllWith(floor, plain, floorAtOnce));
    });
    for (const side of sides) await cluster.client.delete(`/api/v1/namespaces/${namespace(side)}`);
  }
  const ours = created.ours.perSecond;
  figures.set("create_per_s", { ours, stock: created.stock.perSecond, floor: created.floor.perSecond });
  figures.set("create_per_s_stock_equal_workers", { ours, stock: created.equal.perSecond });
  figures.set("delete_per_s", { ours: deleted.perSecond });
}

/** A hundred at once, and a crowd at the end of which all of them stay. */
export async function measureBurst(bench: Bench, metric: "burst_100" | "burst_1000", count: number): Promise<Place[]> {
  const { figures, progress, cluster, operator } = bench;
  const namespace = metric.replace("_", "-");
  const places = placesIn(namespace, count);
  const line = operator.process.log.length;
  await makeNamespaces(cluster.client, namespace);
  const [ours, control] = [operator.group.cpuSeconds(), cluster.cpuSeconds()];
  const batch = await progress.step(`${count} Databases at once`, () => createAll(bench, places));
  const spent = operator.group.cpuSeconds() - ours;
  figures.set(`${metric}_s`, { ours: batch.children, size: count });
  if (count === bench.size.burst) {
    figures.set("cpu_per_create_burst_s", { ours: spent / count, size: count });
    figures.set("cluster_cpu_per_create_s", { ours: (spent + cluster.cpuSeconds() - control) / count, size: count });
  }
  if (metric === "burst_1000") {
    figures.set("burst_1000_ready_s", { ours: batch.ready, size: count });
    const slope = slopeOf(batch.each);
    if (slope !== undefined) figures.set("burst_1000_slope", { ours: slope, size: count });
    figures.set("burst_1000_failures", { ours: operator.failuresSince(line), size: count });
  }
  return places;
}

/** The same children by the floor, at the end of everything: no client watches them any more. */
export async function measureFloorBurst(
  bench: Bench,
  metric: "burst_100" | "burst_1000",
  count: number,
): Promise<void> {
  const { figures, progress, cluster, floor } = bench;
  const namespace = `floor-${metric.replace("_", "-")}`;
  await makeNamespaces(cluster.client, namespace);
  const places = placesIn(namespace, count);
  const seconds = await progress.step(`${count} at once by plain requests`, () =>
    createAllWith(floor, places, floorAtOnce),
  );
  figures.set(`${metric}_s`, { floor: seconds });
}
