// A DatabaseBackup as verbs read it.
import { z } from "zod";
import { backupStatusIn } from "../../operator/api/backups/stored-status";
import type { BackupStatus } from "../../operator/api/backups/status";

const Whole = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), creationTimestamp: z.string().default("") }),
  spec: z.object({ database: z.string().default(""), keep: z.boolean().default(false) }).prefault({}),
  status: z.unknown(),
});

export interface SeenBackup {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: string;
  readonly database: string;
  readonly keep: boolean;
  readonly status: BackupStatus;
}

/** Undefined for what is none. */
export function backupIn(object: unknown): SeenBackup | undefined {
  const whole = Whole.safeParse(object).data;
  if (whole === undefined) return undefined;
  const { metadata, spec, status } = whole;
  const { name, namespace, creationTimestamp: createdAt } = metadata;
  return { name, namespace, createdAt, ...spec, status: backupStatusIn(status) };
}

/** Whether a drill found that it is no good. */
export const isDamaged = ({ status: { verification } }: SeenBackup): boolean => verification?.succeeded === false;

/** When it happened: the end, else the begin, else when it was asked for. */
export const momentOf = ({ createdAt, status }: SeenBackup): string =>
  status.completedAt ?? status.startedAt ?? createdAt;

/** The newest first. */
export const newestFirst = (backups: readonly SeenBackup[]): readonly SeenBackup[] =>
  [...backups].sort((a, b) => (momentOf(a) > momentOf(b) ? -1 : 1));
