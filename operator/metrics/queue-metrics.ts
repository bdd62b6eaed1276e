// Metrics of the queue under client-go's names; each of its lines counts as a queue of its own.
import type { Registry } from "prom-client";
import { controllerLabel as controller, operatorMetrics, queueLines } from "../../contract/metrics";
import type { KeyedQueue, Lane, QueueObserver } from "../queue/queue";
import { counterOf, durationOf, gaugeOf } from "./instruments";

/** What is read of a queue. */
export type ObservedQueue = Pick<KeyedQueue, "depthOf" | "agesOf">;

const labelsOf = (lane: Lane): { name: Lane; controller: string } => ({ name: lane, controller });

/** Registers the metrics; the observer is the queue's. */
export function observeQueue(registry: Registry, queue: () => ObservedQueue): QueueObserver {
  const adds = counterOf(operatorMetrics.queueAdds, registry);
  const retries = counterOf(operatorMetrics.queueRetries, registry);
  const wait = durationOf(operatorMetrics.queueWait, registry);
  const work = durationOf(operatorMetrics.queueWork, registry);
  for (const lane of queueLines) for (const counter of [adds, retries]) counter.inc(labelsOf(lane), 0);
  gaugeOf(operatorMetrics.queueDepth, registry, (set) => {
    for (const lane of queueLines) set(labelsOf(lane), queue().depthOf(lane));
  });
  gaugeOf(operatorMetrics.queueUnfinished, registry, (set) => {
    for (const lane of queueLines) set(labelsOf(lane), sum(queue().agesOf(lane)) / 1000);
  });
  gaugeOf(operatorMetrics.queueLongest, registry, (set) => {
    for (const lane of queueLines) set(labelsOf(lane), Math.max(0, ...queue().agesOf(lane)) / 1000);
  });
  gaugeOf(operatorMetrics.activeWorkers, registry, (set) => {
    set({ controller }, queueLines.flatMap((lane) => queue().agesOf(lane)).length);
  });
  return {
    added: (lane) => {
      adds.inc(labelsOf(lane));
    },
    taken: (lane, waitedMs) => {
      wait.observe(labelsOf(lane), waitedMs / 1000);
    },
    worked: (lane, tookMs) => {
      work.observe(labelsOf(lane), tookMs / 1000);
    },
    retried: (lane) => {
      retries.inc(labelsOf(lane));
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
