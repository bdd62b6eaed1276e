// Judges a whole history.
import { anomalyKinds, type Anomaly, type AnomalyKind } from "./anomalies";
import { cyclesIn } from "./cycles";
import { dataDependencies, timeDependencies } from "./dependencies";
import type { History } from "./history";
import { internalAnomalies } from "./internal";
import { lostAppends } from "./lost";
import { incompatibleOrders, ordersIn } from "./orders";
import { anomaliesOfReads } from "./reads";
import { settledIn } from "./settled";

/**
 * All that contradicts strict serializability, as far as the history shows it: an empty answer is no proof. What is found did happen, whatever became of the
 * transactions whose ending is unknown.
 */
export function anomaliesIn(history: History): readonly Anomaly[] {
  const settled = settledIn(history);
  const orders = ordersIn(settled);
  const dependencies = [...dataDependencies(settled, orders), ...timeDependencies(settled)];
  return [
    ...lostAppends(history),
    ...anomaliesOfReads(history.transactions, settled),
    ...internalAnomalies(settled),
    ...incompatibleOrders(settled, orders),
    ...cyclesIn(settled, dependencies),
  ];
}

/** The kinds that were found, each once, the gravest first. */
export function kindsOf(anomalies: readonly Anomaly[]): readonly AnomalyKind[] {
  const found = new Set(anomalies.map(({ kind }) => kind));
  return anomalyKinds.filter((kind) => found.has(kind));
}
