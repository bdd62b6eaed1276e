// The condition StorageReady: how full the data volumes are, what fills them, and what follows. Pure.
import { archiveSlot } from "../../contract/archive-note";
import type { VolumeCause } from "../../contract/volume-note";
import type { Condition } from "../api/status";
import type { Said, Verdict } from "./conditions";
import { growthOf, sizeOf, type Filling, type Growth, type StorageInputs } from "./storage";

/** What it is judged by beside what members say. */
export interface StorageCircumstances extends StorageInputs {
  /** Why no volume of the StorageClass can grow; undefined where it can, or nobody asked. */
  readonly refusal: string | undefined;
  /** Members that there should be. */
  readonly wanted: number;
}

/** Undefined where no member says anything of its volume. `before` is the condition as it was. */
export function storageReadiness(known: StorageCircumstances, before: Condition | undefined): Said | undefined {
  const notes = known.members.filter(({ volume }) => volume !== undefined).length;
  if (notes === 0) return before;
  const growth = growthOf(known);
  if (growth.kind !== "enough") return filling(growth, known);
  // the one that was full may be away for its restart
  if (notes < known.wanted && before?.status === "False") return before;
  const message = "no data volume is more than 80 % full";
  return { status: "True", reason: "StorageSufficient", message };
}

function filling(growth: Exclude<Growth, { kind: "enough" }>, known: StorageCircumstances): Verdict {
  const { fullest } = growth;
  const consequence = isWanted(growth) && known.refusal !== undefined ? known.refusal : consequenceOf(growth, known);
  const message = `${describe(fullest)}; ${consequence}`;
  return { status: "False", reason: reasonOf(growth, known), message };
}

const isWanted = ({ kind }: Growth): boolean => kind === "due" || kind === "paused";

function reasonOf(growth: Exclude<Growth, { kind: "enough" }>, { refusal }: StorageCircumstances): Verdict["reason"] {
  // whatever else is to be said: it is urgent
  if (growth.fullest.note.level === 100) return "Full";
  if (growth.kind === "limited") return "MaxSizeReached";
  if (growth.kind === "shared" || (isWanted(growth) && refusal !== undefined)) return "GrowthNotPossible";
  return "FillingUp";
}

function consequenceOf(growth: Exclude<Growth, { kind: "enough" }>, known: StorageCircumstances): string {
  const { spec, grown } = known;
  const size = sizeOf(spec, grown);
  switch (growth.kind) {
    case "following":
      return `it grows to ${size}, which its file system does not have yet`;
    case "useless":
      return "a larger volume would fill up as well, so it does not grow";
    case "shared":
      return `its file system is larger than the ${size} that its claim asks for, so a larger claim would not help: make room where the volume is`;
    case "unasked":
      return "raise spec.storage, or have it grow by itself with spec.storageAutoGrow.maxSize";
    case "limited":
      return `spec.storageAutoGrow.maxSize, ${spec.storageAutoGrow?.maxSize ?? ""}, allows no more than the ${size} that it has: raise it, or remove data`;
    case "paused":
      return `the volumes grew less than 6 h ago: they grow again after ${growth.until.toISOString().slice(0, 19)}Z, or at 95 %`;
    case "due":
      return `it is about to grow to ${growth.size}`;
  }
}

/** How full it is, and of what. */
export function describe({ pod, note: { size, used, cause }, isArchiveStuck }: Filling): string {
  const share = Math.floor((used / size) * 100);
  const state = `the data volume of pod ${pod} is ${share} % full (${amount(used)} of ${amount(size)})`;
  return cause === undefined ? state : `${state}; ${causeText(cause, pod, isArchiveStuck)}`;
}

function causeText(cause: VolumeCause, pod: string, isArchiveStuck: boolean): string {
  const bytes = amount(cause.bytes);
  switch (cause.kind) {
    case "slot":
      return slotText(cause, pod);
    case "wal":
      return isArchiveStuck
        ? `${bytes} of that is write-ahead log, which waits for object storage: condition ArchiveReady says why`
        : `${bytes} of that is write-ahead log`;
    case "binaryLogs":
      return `${bytes} of that are binary logs, which are removed where room is needed`;
  }
}

function slotText({ bytes, name = "", walStatus = "", active = false }: VolumeCause, pod: string): string {
  const state = [active ? "in use" : "not in use", ...(walStatus === "" ? [] : [`wal_status ${walStatus}`])].join(", ");
  const member = memberOf(name, pod);
  const database = pod.replace(/-\d+$/, "");
  if (name === archiveSlot)
    return `${amount(bytes)} of that is write-ahead log that waits for Deployment ${database}-archive to copy it: condition ArchiveReady says why`;
  const remedy =
    member === undefined
      ? `have its client continue, or drop it: SELECT pg_drop_replication_slot('${name}')`
      : `bring member ${member} back`;
  return `${amount(bytes)} of that is write-ahead log that replication slot ${name} holds (${state}): ${remedy}`;
}

/** The member of the same Database whose slot has this name. */
function memberOf(slot: string, pod: string): string | undefined {
  const database = pod.replace(/-\d+$/, "");
  const [, ordinal] = /_(\d+)$/.exec(slot) ?? [];
  const member = `${database}-${ordinal ?? ""}`;
  return ordinal !== undefined && member.replaceAll("-", "_") === slot ? member : undefined;
}

const amount = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
