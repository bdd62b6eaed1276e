// With many Databases at rest: memory, CPU, a look at all of them, and a restart of the operator.
import { setTimeout as sleep } from "node:timers/promises";
import { crowdPatienceMs, forEach, keyOf, touchDatabase, type Bench, type Place } from "../bench";
import { operatorUser } from "../cluster";
import { isWrite, requestsIn } from "../instruments/audit";
import { forOneDatabase } from "../instruments/sampler";
import type { MeasuredOperator } from "../operator";
import { eventually } from "../../../test/harness/eventually";

const megabyte = 1e6;

export async function measureRest(bench: Bench, size: number): Promise<void> {
  const { figures, progress, operator, size: wanted } = bench;
  await progress.step("at rest", async () => {
    await operator.idle();
    const began = performance.now();
    const cpu = operator.group.cpuSeconds();
    await sleep(wanted.idleSeconds * 1000);
    const share = (operator.group.cpuSeconds() - cpu) / ((performance.now() - began) / 1000);
    figures.set("idle_cpu_percent", { ours: share * 100, size });
    figures.set("rss_1000_mb", { ours: operator.rss() / megabyte, size });
  });
}

/** Edits that ask for nothing are how all are looked at again: the operator has no timer that would do it. */
export async function measureResync(bench: Bench, places: readonly Place[]): Promise<void> {
  const { figures, progress, operator, cluster } = bench;
  await progress.step("all are looked at again", async () => {
    await operator.idle();
    const line = operator.process.log.length;
    const started = operator.sampler.started.length;
    const from = Date.now();
    await forEach(places, 16, (place) => touchDatabase(cluster.client, place, String(from)));
    await untilLookedAt(operator, places, line);
    const seconds = (Date.now() - from) / 1000;
    await operator.idle();
    const requests = await requestsIn(cluster.auditLog, { from, to: Date.now() }, operatorUser);
    const size = places.length;
    const processes = forOneDatabase(operator.sampler.started.slice(started));
    figures.set("resync_1000_processes", { ours: Math.max(processes, operator.runsSince(line)), size });
    figures.set("resync_1000_writes", { ours: requests.filter(isWrite).length, size });
    figures.set("resync_1000_s", { ours: seconds, size });
  });
}

/** `start` starts an operator after the previous one was stopped. */
export async function measureRestart(
  bench: Bench,
  places: readonly Place[],
  start: () => Promise<MeasuredOperator>,
): Promise<void> {
  const { figures, progress } = bench;
  await progress.step("restart of the operator", async () => {
    const began = Date.now();
    const operator = await start();
    const looks = await untilLookedAt(operator, places, 0);
    const size = places.length;
    figures.set("restart_1000_s", { ours: (Math.max(...looks) - began) / 1000, size });
    await operator.idle();
    const processes = forOneDatabase(operator.sampler.started);
    figures.set("restart_1000_processes", { ours: Math.max(processes, operator.runsSince(0)), size });
  });
}

/** When each was first looked at from this line of the log on. */
async function untilLookedAt(operator: MeasuredOperator, places: readonly Place[], line: number): Promise<number[]> {
  return eventually(
    () => {
      const looks = operator.looksSince(line);
      return places.map((place) => {
        const at = looks.get(keyOf(place));
        if (at === undefined) throw new Error(`${keyOf(place)} was not looked at`);
        return at;
      });
    },
    { withinMs: crowdPatienceMs, everyMs: 200 },
  );
}
