// Creates prom-client's instruments from the definitions, so that nothing is measured that is not defined, and labels are checked.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { MetricDefinition } from "../../contract/metrics";

/** From looks, which take milliseconds, to runs at their deadline. */
const secondsBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** The labels of a definition. */
export type LabelsOf<D extends MetricDefinition> = D["labels"][number];

export function counterOf<D extends MetricDefinition>(definition: D, registry: Registry): Counter<LabelsOf<D>> {
  return new Counter(configurationOf(definition, registry));
}

/** A duration in seconds. */
export function durationOf<D extends MetricDefinition>(definition: D, registry: Registry): Histogram<LabelsOf<D>> {
  return new Histogram({ ...configurationOf(definition, registry), buckets: secondsBuckets });
}

/** A gauge that is read when Prometheus asks: `read` sets what there is now, and what it does not set has no series. */
export function gaugeOf<D extends MetricDefinition>(
  definition: D,
  registry: Registry,
  read: (set: (labels: Readonly<Record<LabelsOf<D>, string>>, value: number) => void) => void,
): void {
  new Gauge<LabelsOf<D>>({
    ...configurationOf(definition, registry),
    collect() {
      this.reset();
      read((labels, value) => {
        this.set(labels, value);
      });
    },
  });
}

function configurationOf<D extends MetricDefinition>(
  { name, help, labels }: D,
  registry: Registry,
): { name: string; help: string; labelNames: LabelsOf<D>[]; registers: Registry[] } {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
