// What the operator measures of itself, under controller-runtime's names where they fit, so that existing dashboards read it. Names and help texts
// are in contract/metrics.ts.
import { collectDefaultMetrics, Registry } from "prom-client";
import { operatorName } from "../../contract/platform";
import { controllerLabel as controller, operatorMetrics } from "../../contract/metrics";
import { driftKinds } from "../domain/children";
import type { Key } from "../domain/key";
import type { DriftNote, RestartNote, RunNote } from "../domain/ports";
import type { QueueObserver } from "../queue/queue";
import type { Outcome } from "../domain/outcome";
import type { PulumiProcess } from "../stack/pulumi";
import { observeDatabases, type ReadDatabases } from "./database-metrics";
import { DriftLedger } from "./drift-ledger";
import { counterOf, durationOf, gaugeOf } from "./instruments";
import { observeQueue, type ObservedQueue } from "./queue-metrics";

export interface Metrics {
  readonly registry: Registry;
  /** Called by the queue. */
  readonly queue: QueueObserver;
  reconciled(key: Key, outcome: Outcome, seconds: number): void;
  ran(run: Pick<RunNote, "operation" | "result" | "seconds">): void;
  drifted(note: DriftNote): void;
  restarted(note: Pick<RestartNote, "role">): void;
  /** A process was started to execute runs. */
  processStarted(kind: PulumiProcess): void;
  /** A list or watch of `kind` broke and was started again. */
  watchRestarted(kind: string): void;
}

export interface Observed {
  readonly queue: () => ObservedQueue;
  /** How many turns can be in progress at the same time. */
  readonly maxWorkers: number;
  readonly isLeading: () => boolean;
  /** All Databases as the API server sent them; asked only where this operator leads. */
  readonly databases: ReadDatabases;
  readonly build: { readonly version: string; readonly program: string };
}

/** What controller-runtime calls the outcome. What waits for a person is no error of the operator: its own gauges show it. */
const resultOf: Readonly<Record<Outcome["kind"], string>> = {
  settled: "success",
  stalled: "success",
  gone: "success",
  due: "requeue",
  waiting: "requeue_after",
  failed: "error",
};

/** Gauges of prom-client whose names are a counter's; the same figures stand in nodejs_active_resources and its like. */
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

const processes: readonly PulumiProcess[] = ["cli", "resident"];
const operations = ["up", "destroy"] as const;
const roles: readonly RestartNote["role"][] = ["primary", "replica", "none"];

export function createMetrics(observed: Observed): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  observeDatabases(registry, () => (observed.isLeading() ? observed.databases() : []));
  const queue = observeQueue(registry, observed.queue);
  gaugeOf(operatorMetrics.maxWorkers, registry, (set) => {
    set({ controller }, observed.maxWorkers);
  });
  gaugeOf(operatorMetrics.leader, registry, (set) => {
    set({ name: operatorName }, observed.isLeading() ? 1 : 0);
  });
  gaugeOf(operatorMetrics.buildInfo, registry, (set) => {
    set(observed.build, 1);
  });
  const drift = driftMetrics(registry);
  const reconciles = reconcileMetrics(registry, (key) => {
    drift.drifted({ key, state: "found", drift: [] });
  });
  return { registry, queue, ...reconciles, ...runMetrics(registry), ...restartMetrics(registry), ...drift };
}

function reconcileMetrics(
  registry: Registry,
  onGone: (key: Key) => void,
): Pick<Metrics, "reconciled" | "watchRestarted"> {
  const results = counterOf(operatorMetrics.reconciles, registry);
  const errors = counterOf(operatorMetrics.reconcileErrors, registry);
  const seconds = durationOf(operatorMetrics.reconcileSeconds, registry);
  const outcomes = counterOf(operatorMetrics.outcomes, registry);
  const restarts = counterOf(operatorMetrics.watchRestarts, registry);
  // a counter that begins with its first event shows no increase by it
  for (const result of new Set(Object.values(resultOf))) results.inc({ controller, result }, 0);
  errors.inc({ controller }, 0);
  return {
    reconciled(key, outcome, took) {
      results.inc({ controller, result: resultOf[outcome.kind] });
      if (outcome.kind === "failed") errors.inc({ controller });
      seconds.observe({ controller }, took);
      outcomes.inc({ outcome: outcome.kind, reason: "reason" in outcome ? outcome.reason : "" });
      if (outcome.kind === "gone") onGone(key);
    },
    watchRestarted(kind) {
      restarts.inc({ kind });
    },
  };
}

function runMetrics(registry: Registry): Pick<Metrics, "ran" | "processStarted"> {
  const runs = durationOf(operatorMetrics.runs, registry);
  const started = counterOf(operatorMetrics.processes, registry);
  for (const operation of operations) runs.zero({ operation, result: "succeeded" });
  for (const kind of processes) started.inc({ kind }, 0);
  return {
    ran({ operation, result, seconds }) {
      runs.observe({ operation, result }, seconds);
    },
    processStarted(kind) {
      started.inc({ kind });
    },
  };
}

function restartMetrics(registry: Registry): Pick<Metrics, "restarted"> {
  const restarts = counterOf(operatorMetrics.memberRestarts, registry);
  for (const role of roles) restarts.inc({ role }, 0);
  return {
    restarted({ role }) {
      restarts.inc({ role });
    },
  };
}

function driftMetrics(registry: Registry): Pick<Metrics, "drifted"> {
  const found = counterOf(operatorMetrics.driftFound, registry);
  const repaired = counterOf(operatorMetrics.driftRepaired, registry);
  const ledger = new DriftLedger();
  for (const kind of driftKinds) for (const counter of [found, repaired]) counter.inc({ kind }, 0);
  return {
    drifted({ key, drift, state }) {
      if (state === "found") {
        for (const { kind } of ledger.note(key, drift)) found.inc({ kind });
        return;
      }
      for (const { kind } of drift) repaired.inc({ kind });
      ledger.forget(key);
    },
  };
}
