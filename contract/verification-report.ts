// What the program of a restore drill says in its pod's termination message, however it ends: read by the operator.

/** How a drill ended. */
export const verdicts = [
  /** The backup was restored, and all that was looked at is as it should be. */
  "Passed",
  /** It could not be restored, or is not what it should be. */
  "Failed",
  /** Nothing is known of the backup: there was none, or no room or time for the drill. */
  "NotTried",
] as const;
export type DrillVerdict = (typeof verdicts)[number];

/** Why one did not pass. */
export const findings = [
  "BackupDamaged",
  "ArchiveDamaged",
  "RestoreNotStarted",
  "DataDamaged",
  "QueryFailed",
  "NoBackup",
  "VersionMismatch",
  "NoRoom",
  "OutOfTime",
  "Interrupted",
] as const;
export type DrillFinding = (typeof findings)[number];

/** How a query of the Database's author ended. */
export const answers = ["AsExpected", "Unexpected", "Failed"] as const;
export type QueryAnswer = (typeof answers)[number];

/** All of it together is far below 4096 bytes. */
export interface VerificationReport {
  readonly verdict: DrillVerdict;
  /** Missing where it passed. */
  readonly finding?: DrillFinding;
  /** Label of the backup; missing where none was chosen. No `backup`, which is what was taken. */
  readonly verified?: string;
  /** When the drill began; RFC 3339, in UTC. */
  readonly startedAt: string;
  /** A sentence for people, without anything that is in the data. */
  readonly message: string;
  /** Seconds until the data were there, and until the server had replayed the changes behind them: what a restore would take. */
  readonly recoverySeconds?: number;
  /** Seconds that it took in all. */
  readonly seconds: number;
  /** Of each query, in the order of the spec. */
  readonly queries?: readonly { readonly name: string; readonly answer: QueryAnswer }[];
}

/** A query of the Database's author, as the program reads it. */
export interface DrillQuery {
  readonly name: string;
  readonly sql: string;
  /** Text of the first column of the first row. Missing: there must be a row. */
  readonly expect?: string | undefined;
}

/** Bounds of the queries, by which the report fits. */
export const queryLimits = { most: 20, name: 40, sql: 2000, expect: 200 } as const;

/** The file, in a directory of the pod and in a ConfigMap, that holds the queries as JSON. */
export const queriesFile = "queries.json";
