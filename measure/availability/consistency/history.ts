// A history of transactions that append to lists and read them: what clients sent, what they were answered, and when.

/**
 * One operation and its answer. Each value is appended to its list at most once, so that its reader knows the transaction it came from,
 * and a list says in which order its values came.
 * Source: Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations", VLDB 2020 (traceable and recoverable versions).
 */
export type Operation =
  | { readonly kind: "append"; readonly key: number; readonly value: number }
  | { readonly kind: "read"; readonly key: number; readonly values: readonly number[] };

export type Read = Extract<Operation, { kind: "read" }>;
export type Append = Extract<Operation, { kind: "append" }>;

/**
 * `committed`: the server said so. `aborted`: it said no, or the commit was never sent. `unknown`: the commit was sent and not answered; it may have
 * happened at any time since, or never.
 */
export type Ending = "committed" | "aborted" | "unknown";

/** One transaction: appends that were sent, and reads that were answered. Times are milliseconds of one clock. */
export interface Transaction {
  readonly client: number;
  readonly operations: readonly Operation[];
  readonly ending: Ending;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** All lists as one member has them, read after every transaction had ended and the member had caught up. */
export interface FinalRead {
  readonly member: string;
  readonly lists: ReadonlyMap<number, readonly number[]>;
}

export interface History {
  readonly transactions: readonly Transaction[];
  readonly finals: readonly FinalRead[];
}

export const readsOf = ({ operations }: Pick<Transaction, "operations">): readonly Read[] =>
  operations.filter((operation) => operation.kind === "read");

export const appendsOf = ({ operations }: Pick<Transaction, "operations">): readonly Append[] =>
  operations.filter((operation) => operation.kind === "append");
