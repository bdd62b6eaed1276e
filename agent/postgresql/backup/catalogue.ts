// What pgBackRest says of the backups of one cluster, as it answers `info --output=json`.
import { z } from "zod";
import { isMisfit } from "./complaint";

const Info = z.array(
  z.looseObject({
    name: z.string().nullish(),
    db: z.array(z.looseObject({ id: z.int(), version: z.string() })).nullish(),
    status: z.looseObject({ code: z.int(), message: z.string() }),
    repo: z.array(z.looseObject({ status: z.looseObject({ code: z.int(), message: z.string() }) })).nullish(),
    backup: z.array(
      z.looseObject({
        label: z.string(),
        database: z.looseObject({ id: z.int() }).nullish(),
        type: z.string(),
        error: z.boolean().nullish(),
        prior: z.string().nullish(),
        reference: z.array(z.string()).nullish(),
        archive: z.looseObject({ start: z.string().nullish(), stop: z.string().nullish() }).nullish(),
        annotation: z.record(z.string(), z.string()).nullish(),
        timestamp: z.looseObject({ start: z.number(), stop: z.number() }),
        info: z.looseObject({
          size: z.number(),
          repository: z.looseObject({ delta: z.number().nullish() }).nullish(),
        }),
      }),
    ),
  }),
);

/** The annotation of a backup that was found damaged, whose value is when: so what knows it lies where the backup does. */
export const damageMark = "damaged";

/** Whether a restore of it can be whole, as far as is known. */
export const isWholeIn =
  (backups: readonly Backup[]) =>
  ({ isDamaged, needs }: Backup): boolean =>
    !isDamaged && !backups.some((other) => other.isDamaged && needs.includes(other.label));

/** A backup that is complete. Labels sort by time, those of differential ones after that of their full one. */
export interface Backup {
  readonly label: string;
  readonly isFull: boolean;
  /** Labels of the backups that it is not whole without. */
  readonly needs: readonly string[];
  /** From when on it can be restored: when its copy was whole, in seconds since 1970. */
  readonly stoppedAt: number;
  /** Of all files that it restores, in bytes. */
  readonly size: number;
  /** What it added to the storage, in bytes. */
  readonly storedSize: number | undefined;
  /** Whether it was found damaged where it lies. Those that need it are not whole either. */
  readonly isDamaged: boolean;
  /** The first segment of WAL that it needs. */
  readonly firstSegment: string | undefined;
}

/** What is there of one cluster. */
export interface ClusterBackups {
  /** Its system identifier. */
  readonly cluster: string;
  /** From the oldest on. */
  readonly backups: readonly Backup[];
  /** The major version of each, by its label. */
  readonly majors: ReadonlyMap<string, string>;
  /** Whether they do not fit the passphrase, so that none is listed. */
  readonly isUnreadable: boolean;
}

/** From the oldest on; none where the place is empty. Throws where the answer is none. */
export const backupsIn = (answer: string): readonly Backup[] => backupsOf(Info.parse(JSON.parse(answer))[0]);

/** The code of what has no code of its own: that the storage does not answer, refuses, or cannot be decrypted. The command ends well all the same. */
const otherFailure = 99;

const longestWhy = 400;

/** Of each cluster that has any, where none was named. Throws where the answer is none, or the storage did not show them. */
export function clustersIn(answer: string): readonly ClusterBackups[] {
  const infos = Info.parse(JSON.parse(answer));
  const failure = infos.map(failureOf).find((one) => one !== undefined && !isMisfit(one));
  if (failure !== undefined) {
    const why = failure.replaceAll(/\s+/g, " ").slice(0, longestWhy);
    throw new Error(`the object storage does not show its backups: ${why}`);
  }
  const found = infos.map((info): ClusterBackups => {
    const versions = new Map((info.db ?? []).map(({ id, version }) => [id, version]));
    const majors = info.backup.map(({ label, database }) => [label, versions.get(database?.id ?? -1) ?? ""] as const);
    const isUnreadable = failureOf(info) !== undefined;
    return { cluster: info.name ?? "", backups: backupsOf(info), majors: new Map(majors), isUnreadable };
  });
  return found.filter(({ backups, isUnreadable }) => isUnreadable || backups.length > 0);
}

/** Undefined where it was read. */
const failureOf = ({ repo }: z.infer<typeof Info>[number]): string | undefined =>
  (repo ?? []).find(({ status }) => status.code === otherFailure)?.status.message;

function backupsOf(info: z.infer<typeof Info>[number] | undefined): readonly Backup[] {
  const backups = (info?.backup ?? []).map(
    ({ label, type, prior, reference, timestamp, archive, annotation, info: { size, repository } }): Backup => ({
      label,
      isFull: type === "full",
      needs: [...new Set([...(reference ?? []), ...(typeof prior === "string" ? [prior] : [])])],
      stoppedAt: timestamp.stop,
      size,
      storedSize: repository?.delta ?? undefined,
      isDamaged: annotation?.[damageMark] !== undefined,
      firstSegment: archive?.start ?? undefined,
    }),
  );
  return backups.toSorted((one, other) => (one.label < other.label ? -1 : 1));
}
