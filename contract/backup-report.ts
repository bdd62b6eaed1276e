// What the program of a backup Job says in its pod's termination message when it ends well: read by the operator.

/** Whether all of a backup is of one moment. */
export const consistencies = [
  "OneMoment",
  /** What was written while it was taken may be in it in part. */
  "Torn",
] as const;
export type Consistency = (typeof consistencies)[number];

/** A backup that is complete where it lies. */
export interface PresentBackup {
  readonly label: string;
  /** Size of all its files. */
  readonly bytes?: number | undefined;
  /** When it was complete, where that is known there; RFC 3339, in UTC. */
  readonly completedAt?: string | undefined;
}

/** How many of them a report has at most, the newest. */
export const mostPresent = 20;

/** A backup that was taken. What the program does not know for certain is missing; all of it together is far below 4096 bytes. */
export interface BackupReport {
  /** Its label: the name that it has where it lies, such as `orders-20261121T020003Z`. */
  readonly backup: string;
  /** When the program began to copy; RFC 3339, in UTC. */
  readonly startedAt?: string;
  /** Size of all its files. */
  readonly bytes?: number;
  /** What of them was added where it lies, where that is less: compressed, and without what is there already. */
  readonly storedBytes?: number | undefined;
  /** Where it lies, where that is no volume of the cluster: such as `s3://backups/prod/shop/orders`. */
  readonly location?: string;
  /** Label of the complete backup that it is not whole without. */
  readonly base?: string | undefined;
  /** The earliest moment that what lies there can be restored to; RFC 3339, in UTC. */
  readonly recoverableFrom?: string | undefined;
  /** The member that it was copied from. */
  readonly member?: string;
  /** What of the same name are copies of the same data: PostgreSQL's system identifier, MySQL's group, MongoDB's replica set. */
  readonly cluster?: string;
  /** Version of the server, such as "17.12". */
  readonly version?: string;
  /** Missing where the engine copies in no other way than of one moment. */
  readonly consistency?: Consistency;
  /** Labels of those there that were found damaged since they were taken, at most twenty: what needs them is not whole either. Missing: none. */
  readonly damaged?: readonly string[] | undefined;
  /** The oldest label of the same cluster that retention left, those that are kept beyond it apart. */
  readonly oldest?: string;
  /** All of the same cluster, the oldest first, itself among them; of more than `mostPresent` the newest. */
  readonly present?: readonly PresentBackup[] | undefined;
}

/** In the environment of the program: labels that retention must not remove, with spaces between them. Missing: they are not known. */
export const keptVariable = "BACKUP_KEPT";

/** How they are written, there and in the ConfigMap that it comes from. */
export const keptText = (labels: readonly string[]): string => labels.join(" ");
