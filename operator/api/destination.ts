// Where backups go, in CEL.

/** Whether a spec has object storage for them. */
export const hasS3 = (spec: string): string => `has(${spec}.backup.destination) && has(${spec}.backup.destination.s3)`;
