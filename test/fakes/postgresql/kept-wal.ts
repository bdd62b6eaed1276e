// WAL on a backup volume, and backups beside it, as files of the right names and sizes.
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nameOf, segmentBytes } from "../../../agent/postgresql/backup/continuity";

/** A backup as it is on the volume. */
export interface FilledBase {
  readonly label: string;
  /** System identifier. */
  readonly cluster: string;
  readonly start: string;
  /** Its timeline, and where its WAL ends. */
  readonly end: readonly [timeline: number, lsn: string];
}

/** Makes what of a backup is read. */
export async function fillBase(
  backups: string,
  { label, cluster, start, end: [timeline, lsn] }: FilledBase,
): Promise<void> {
  const directory = join(backups, label);
  await mkdir(join(directory, "global"), { recursive: true });
  await mkdir(join(directory, "pg_wal"));
  const control = Buffer.alloc(8_192);
  control.writeBigUInt64LE(BigInt(cluster));
  await writeFile(join(directory, "global", "pg_control"), control);
  const range = { Timeline: timeline, "Start-LSN": start, "End-LSN": lsn };
  const text = JSON.stringify({ "WAL-Ranges": [range] })
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "');
  await writeFile(join(directory, "backup_manifest"), text);
}

/** Makes a file of that many bytes, which has no blocks but for what it begins with. */
export async function fillFile(file: string, bytes = segmentBytes, beginning: Buffer | string = ""): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, beginning);
  await truncate(file, bytes);
}

/** Makes complete segments of a timeline. */
export async function fillSegments(
  directory: string,
  timeline: number,
  ...positions: readonly number[]
): Promise<void> {
  for (const position of positions) await fillFile(join(directory, nameOf({ timeline, position })));
}
