// The operator's own metrics, under controller-runtime's names where they fit, so that existing dashboards read them.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The label value by which controller-runtime's metrics tell controllers apart. */
const controller = "database";

const secondsBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export interface QueueState {
  readonly depth: number;
  readonly active: number;
}

export interface Metrics {
  readonly registry: Registry;
  /** `result`: the outcome's kind. */
  reconciled(result: string, seconds: number): void;
  ran(operation: string, result: string, seconds: number): void;
  /** A list or watch of `kind` broke and was started again. */
  watchRestarted(kind: string): void;
}

export interface Observed {
  readonly queue: () => QueueState;
  readonly isLeading: () => boolean;
}

export function createMetrics({ queue, isLeading }: Observed): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const reconciles = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciles by result",
    labelNames: ["controller", "result"],
    registers,
  });
  const reconcileSeconds = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Duration of a reconcile in seconds",
    labelNames: ["controller"],
    buckets: secondsBuckets,
    registers,
  });
  const runs = new Histogram({
    name: "database_operator_stack_run_seconds",
    help: "Duration of a Pulumi run in seconds, by operation and result",
    labelNames: ["operation", "result"],
    buckets: secondsBuckets,
    registers,
  });
  const restarts = new Counter({
    name: "database_operator_watch_restarts_total",
    help: "Lists and watches that broke and were started again",
    labelNames: ["kind"],
    registers,
  });
  gauge("workqueue_depth", "Databases that wait for a reconcile", () => queue().depth);
  gauge("controller_runtime_active_workers", "Reconciles under way", () => queue().active);
  registry.registerMetric(leadershipGauge(isLeading));

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      labelNames: ["controller"],
      registers,
      collect() {
        this.set({ controller }, read());
      },
    });
  }
  return {
    registry,
    reconciled(result, seconds) {
      reconciles.inc({ controller, result });
      reconcileSeconds.observe({ controller }, seconds);
    },
    ran(operation, result, seconds) {
      runs.observe({ operation, result }, seconds);
    },
    watchRestarted(kind) {
      restarts.inc({ kind });
    },
  };
}

function leadershipGauge(isLeading: () => boolean): Gauge {
  return new Gauge({
    name: "leader_election_master_status",
    help: "Whether this operator leads (1) or stands by (0)",
    labelNames: ["name"],
    registers: [],
    collect() {
      this.set({ name: "database-operator" }, isLeading() ? 1 : 0);
    },
  });
}
