// Whether data volumes grow by themselves, and to which size: decided from what members say of them. Pure.
import { fillingLevel, type VolumeNote } from "../../contract/volume-note";
import { fitsIn, valueOf } from "../api/quantity";
import type { DatabaseSpec } from "../api/spec";
import type { Desired } from "../domain/desired";
import type { Member } from "../domain/members";
import type { Grown, StackRecord } from "../domain/records";

const gibibyte = 2 ** 30;
/** By how much a volume grows, as a share of it. */
const step = 0.2;
/** Between two growths of a Database, in milliseconds; from `urgentLevel` on there is no pause. */
const pauseMs = 6 * 3_600_000;
const urgentLevel = 95;
/** A file system smaller than this share of what was asked for has not followed yet. */
const leastShare = 0.9;
/** One that is larger than this share of what was asked for is not the claim's alone. */
const mostShare = 1.25;

/** A member whose data volume fills up. */
export interface Filling {
  readonly pod: string;
  readonly note: VolumeNote;
  /** Whether write-ahead log waits for object storage. */
  readonly isArchiveStuck: boolean;
}

/** What follows from a volume that fills up, for all data volumes of the Database: they have the same size. */
export type Growth =
  | { readonly kind: "enough" }
  /** Its file system has not the size yet that was asked for. */
  | { readonly kind: "following"; readonly fullest: Filling }
  /** What fills it would fill a larger one as well. */
  | { readonly kind: "useless"; readonly fullest: Filling }
  /** Its file system is larger than what the claim asks for. */
  | { readonly kind: "shared"; readonly fullest: Filling }
  | { readonly kind: "unasked" | "limited"; readonly fullest: Filling }
  | { readonly kind: "paused"; readonly fullest: Filling; readonly until: Date }
  | { readonly kind: "due"; readonly fullest: Filling; readonly size: string };

/** What is known. */
export interface StorageInputs {
  readonly spec: Pick<DatabaseSpec, "storage" | "storageAutoGrow">;
  readonly grown: Grown | undefined;
  readonly members: readonly Pick<Member, "name" | "volume" | "archive">[];
  readonly now: Date;
}

/** The size that the data volumes are declared with: what the spec asks for, or a larger one to which they have grown. */
export const sizeOf = (spec: Pick<DatabaseSpec, "storage">, grown: Pick<Grown, "size"> | undefined): string =>
  grown === undefined || fitsIn(grown.size, spec.storage) ? spec.storage : grown.size;

/** See the header. */
export function growthOf({ spec, grown, members, now }: StorageInputs): Growth {
  const size = sizeOf(spec, grown);
  const fillings = members
    .flatMap(({ name, volume, archive }) =>
      volume === undefined ? [] : [{ pod: name, note: volume, isArchiveStuck: archive?.state === "Waiting" }],
    )
    .filter(({ note }) => note.level >= fillingLevel)
    .sort((left, right) => right.note.level - left.note.level || right.note.used - left.note.used);
  const [fullest] = fillings;
  if (fullest === undefined) return { kind: "enough" };
  const helped = fillings.find((filling) => obstacleOf(filling, size) === undefined);
  if (helped === undefined) return { kind: obstacleOf(fullest, size) ?? "useless", fullest };
  if (spec.storageAutoGrow === undefined) return { kind: "unasked", fullest: helped };
  const next = nextSize(size, spec.storageAutoGrow.maxSize);
  if (next === undefined) return { kind: "limited", fullest: helped };
  const until = grown === undefined ? undefined : new Date(Date.parse(grown.at) + pauseMs);
  if (until !== undefined && until > now && helped.note.level < urgentLevel)
    return { kind: "paused", fullest: helped, until };
  return { kind: "due", fullest: helped, size: next };
}

/** Why a larger size would change nothing; undefined where it would help. */
function obstacleOf(filling: Filling, size: string): "following" | "useless" | "shared" | undefined {
  const { note } = filling;
  const asked = valueOf(size);
  if (note.size > asked * mostShare) return "shared";
  if (note.size < asked * leastShare) return "following";
  return isFilledAnyway(filling) ? "useless" : undefined;
}

/** Whether its cause would fill a larger one as well. */
function isFilledAnyway({ note: { cause, level }, isArchiveStuck }: Filling): boolean {
  if (cause?.kind === "slot") return true;
  // these are removed where room is needed: where they are not, room must come from elsewhere
  const isRemoved = cause?.kind === "binaryLogs" || (cause?.kind === "wal" && isArchiveStuck);
  return isRemoved && level < urgentLevel;
}

/** A fifth more, and one gibibyte at least; undefined where `most` allows no more. */
function nextSize(size: string, most: string): string | undefined {
  const [now, limit] = [valueOf(size), valueOf(most)].map((bytes) => Math.round(bytes / gibibyte));
  if (now === undefined || limit === undefined || limit <= now) return undefined;
  return `${Math.min(limit, now + Math.max(1, Math.ceil(now * step)))}Gi`;
}

/**
 * What is desired, with the size to which volumes have grown. The backup volume, which by default is as large, grows with them, unless it
 * is of another class: that one may let none grow.
 */
export function withGrown<D extends Desired>(desired: D, record: Pick<StackRecord, "grown"> | undefined): D {
  const { spec } = desired;
  const storage = sizeOf(spec, record?.grown);
  if (storage === spec.storage) return desired;
  const volume = spec.backup.destination?.volume;
  const isApart = volume?.storageClass !== undefined && volume.storageClass !== spec.storageClass;
  const destination = { volume: { ...volume, size: volume?.size ?? spec.storage } };
  const backup = isApart ? { ...spec.backup, destination } : spec.backup;
  return { ...desired, spec: { ...spec, storage, backup } };
}
