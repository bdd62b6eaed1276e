// What the program of a major upgrade says in its pod's termination message when it ends: read by the operator.

/** What it did: on a copy, with the data, or the same back. */
export const upgradeActs = ["Rehearsed", "Converted", "Returned", "Failed"] as const;

/** With what it ends where another attempt would be refused, too. */
export const refusedExitCode = 3;

/** All of it together is far below 4096 bytes. */
export interface UpgradeReport {
  readonly upgrade: (typeof upgradeActs)[number];
  /** Seconds that it took in all. */
  readonly seconds: number;
  /** Of a rehearsal: the seconds without the copy of the backup, which are those of the downtime to come. */
  readonly conversionSeconds?: number;
  /** A sentence for people. */
  readonly message: string;
  /** Replication slots that are not carried over: the first of them. */
  readonly slots?: readonly string[];
  /** Subscriptions that come back disabled: the first of them. */
  readonly subscriptions?: readonly string[];
  /** How many indexes were built again. */
  readonly indexes?: number;
  /** Extensions that stay at their former versions: the first of them. */
  readonly extensions?: readonly string[];
}
