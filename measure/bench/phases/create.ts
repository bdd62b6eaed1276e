// One new Database at a time on an otherwise idle system: ours, stock and floor take turns, so that noise hits all of them.
import { setTimeout as sleep } from "node:timers/promises";
import {
  applyDatabase,
  childrenOf,
  keyOf,
  makeNamespaces,
  patienceMs,
  placesIn,
  secondsSince,
  type Bench,
  type Place,
} from "../bench";
import type { BaselineProcess } from "../baselines/process";
import { operatorUser } from "../cluster";
import { isWatch, requestsIn, type Span } from "../instruments/audit";
import { median, percentile } from "../instruments/percentile";

/** What is created here, for the phases that follow. */
export interface Created {
  readonly ours: readonly Place[];
  readonly stock: readonly Place[];
  readonly floor: readonly Place[];
}

/** Namespaces of the three. */
export const namespaces = { ours: "bench-ours", stock: "bench-stock", floor: "bench-floor" } as const;

/** What the operator still has to say about a Ready Database, so that no sample disturbs the next. */
const settleMs = 250;

/** Seconds of one creation. */
export interface Creation {
  readonly children: number;
  readonly ready: number;
}

export async function createOne(bench: Bench, place: Place): Promise<Creation> {
  const { cluster, children, databases } = bench;
  const expected = await childrenOf(bench, place);
  const began = performance.now();
  const complete = children.untilAll(keyOf(place), expected, patienceMs);
  await applyDatabase(cluster.client, place);
  const ended = { children: await complete, ready: await databases.untilReady(keyOf(place), patienceMs) };
  await sleep(settleMs);
  return { children: secondsSince(began, ended.children), ready: secondsSince(began, ended.ready) };
}

/** Seconds until the children that a baseline creates exist; it may have more to do after that. */
export async function createWith(bench: Bench, baseline: BaselineProcess, place: Place): Promise<number> {
  const expected = await childrenOf(bench, place);
  const began = performance.now();
  const complete = bench.children.untilAll(keyOf(place), expected, patienceMs);
  const [end] = await Promise.all([complete, baseline.ask({ do: "create", ...place })]);
  return secondsSince(began, end);
}

/** Samples that count for nothing: everything is loaded and connected afterwards. */
const warmUps = 2;

export async function measureCreation(bench: Bench): Promise<Created> {
  const { size, figures, cluster, operator, stock, floor, progress } = bench;
  await makeNamespaces(cluster.client, ...Object.values(namespaces));
  await warmUp(bench);
  const ours = placesIn(namespaces.ours, size.samples);
  const stocks = placesIn(namespaces.stock, size.stockSamples);
  const floors = placesIn(namespaces.floor, size.samples);
  const taken: Record<"children" | "ready" | "stock" | "floor" | "cpu" | "stockCpu" | "floorCpu", number[]> = {
    ...{ children: [], ready: [], stock: [], floor: [], cpu: [], stockCpu: [], floorCpu: [] },
  };
  const spans: Span[] = [];
  await progress.step("one new Database at a time", async (detail) => {
    for (const [index, place] of ours.entries()) {
      detail(`${index + 1} of ${ours.length}`);
      const from = Date.now();
      const cpu = operator.group.cpuSeconds();
      const { children, ready } = await createOne(bench, place);
      taken.cpu.push(operator.group.cpuSeconds() - cpu);
      spans.push({ from, to: Date.now() });
      taken.children.push(children);
      taken.ready.push(ready);
      const [stockPlace, floorPlace] = [stocks[index], floors[index]];
      if (stockPlace) await sampleInto(bench, stock, stockPlace, [taken.stock, taken.stockCpu]);
      if (floorPlace) await sampleInto(bench, floor, floorPlace, [taken.floor, taken.floorCpu]);
    }
  });
  figures.set("create_p50_s", { ours: median(taken.children), stock: median(taken.stock), floor: median(taken.floor) });
  const p99 = (samples: readonly number[]): number => percentile(samples, 99);
  figures.set("create_p99_s", { ours: p99(taken.children), stock: p99(taken.stock), floor: p99(taken.floor) });
  figures.set("create_ready_p50_s", { ours: median(taken.ready) });
  const cpu = { ours: mean(taken.cpu), stock: mean(taken.stockCpu), floor: mean(taken.floorCpu) };
  figures.set("cpu_per_create_s", cpu);
  await reportRequests(bench, spans);
  return { ours, stock: stocks, floor: floors };
}

async function warmUp(bench: Bench): Promise<void> {
  const { figures, progress, stock, floor, children } = bench;
  await progress.step("warming up", async () => {
    const places = (namespace: string): Place[] => placesIn(namespace, warmUps, "warm-up");
    for (const place of places(namespaces.ours)) await createOne(bench, place);
    for (const place of places(namespaces.stock)) await createWith(bench, stock, place);
    for (const place of places(namespaces.floor)) await createWith(bench, floor, place);
    const [first] = places(namespaces.ours);
    if (first === undefined) return;
    const made = [...children.of(keyOf(first))].sort();
    const expected = [...(await childrenOf(bench, first))].sort();
    if (made.join() !== expected.join()) {
      throw new Error(`the baselines make other children than the operator: ${expected.join()} and ${made.join()}`);
    }
    figures.set("children", { ours: made.length, stock: expected.length, floor: expected.length });
  });
}

async function sampleInto(
  bench: Bench,
  baseline: BaselineProcess,
  place: Place,
  [seconds, cpuSeconds]: readonly [number[], number[]],
): Promise<void> {
  const cpu = baseline.group.cpuSeconds();
  seconds.push(await createWith(bench, baseline, place));
  await sleep(settleMs);
  cpuSeconds.push(baseline.group.cpuSeconds() - cpu);
}

export const mean = (samples: readonly number[]): number =>
  samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

/** Of the operator and of the provider that it runs, which has the same identity. */
async function reportRequests({ figures, cluster }: Bench, spans: readonly Span[]): Promise<void> {
  const whole = { from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 };
  const requests = await requestsIn(cluster.auditLog, whole, operatorUser);
  const counted = requests.filter(
    (request) => !isWatch(request) && spans.some(({ from, to }) => request.at >= from && request.at <= to),
  );
  figures.set("api_requests_per_create", { ours: counted.length / spans.length });
}
