// The closed list of what can be wrong with a history.

/**
 * In this order they are reported. Sources: Adya, "Weak Consistency: A Generalized Theory and Optimistic Implementations for Distributed
 * Transactions", MIT 1999, for those that begin with G; the Elle paper for the others and for `-realtime`: a cycle that exists only because one transaction
 * had ended before another began.
 */
export const anomalyKinds = [
  "lost",
  "duplicate",
  "unwritten",
  "incompatible-order",
  "internal",
  "G1a",
  "G1b",
  "G0",
  "G1c",
  "G-single",
  "G2",
  "G0-realtime",
  "G1c-realtime",
  "G-single-realtime",
  "G2-realtime",
] as const;
export type AnomalyKind = (typeof anomalyKinds)[number];

/** What each is, in words for people. */
export const anomalyTitles: Readonly<Record<AnomalyKind, string>> = {
  lost: "an acknowledged append is missing at the end, on at least one member",
  duplicate: "a list has a value twice",
  unwritten: "a list has a value that was never appended",
  "incompatible-order": "two reads of a list disagree about its beginning",
  internal: "a transaction does not see what it did or read itself",
  G1a: "a read sees an append of a transaction that was aborted",
  G1b: "a read sees a list in the middle of another transaction",
  G0: "writes of transactions form a cycle",
  G1c: "transactions see each other's writes in a circle",
  "G-single": "a transaction sees some of another's effects and misses others (read skew)",
  G2: "transactions miss each other's writes in a circle (write skew)",
  "G0-realtime": "a write is put before one that had been acknowledged",
  "G1c-realtime": "a read sees what began only after it had been answered",
  "G-single-realtime": "a stale read: it misses what had been acknowledged before it began",
  "G2-realtime": "write skew that only the order in time shows",
};

export interface Anomaly {
  readonly kind: AnomalyKind;
  /** Which transactions, keys and values. */
  readonly detail: string;
}
