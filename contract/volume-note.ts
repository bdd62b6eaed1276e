// What members say of their data volumes: an annotation that agents write on their own pods, and the operator reads.
import { keyPrefix } from "./resources";

/** The annotation; its value is a VolumeNote as JSON. */
export const volumeAnnotation = `${keyPrefix}/volume`;

/** How full a volume can be, in percent; the last one: so full that a server may stop. */
export const volumeLevels = [0, 80, 90, 95, 100] as const;
export type VolumeLevel = (typeof volumeLevels)[number];

/** From here on a volume counts as filling up. */
export const fillingLevel = 80;

/** `slot`: WAL that a replication slot holds; `wal`: other WAL; `binaryLogs`: those of MySQL that could be removed. */
export const volumeCauses = ["slot", "wal", "binaryLogs"] as const;

/** What fills a volume beside data, where the volume would not be filling up without it. */
export interface VolumeCause {
  readonly kind: (typeof volumeCauses)[number];
  /** In bytes. */
  readonly bytes: number;
  /** Of a slot: its name. */
  readonly name?: string;
  /** Of a slot: PostgreSQL's `wal_status`, such as "extended". */
  readonly walStatus?: string;
  /** Of a slot: whether a client reads by it now. */
  readonly active?: boolean;
}

/** What a member says. */
export interface VolumeNote {
  readonly level: VolumeLevel;
  /** Of the file system, in bytes. */
  readonly size: number;
  /** What is in use, in bytes, rounded. */
  readonly used: number;
  /** When it was written, RFC 3339. */
  readonly at: string;
  /** Missing: data, or it is not known. */
  readonly cause?: VolumeCause;
}
