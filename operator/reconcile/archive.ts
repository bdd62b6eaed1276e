// What is said of the archive, in object storage or on the backup volume: pure.
import type { ArchiveNote } from "../../contract/archive-note";
import { factsOf } from "../../contract/engines";
import type { Condition } from "../api/status";
import { keepsChanges, keepsLogs } from "../api/point-in-time";
import type { DatabaseSpec } from "../api/spec";
import { primaryOf, type JobRun, type Member, type Observation } from "../domain/members";
import type { Verdict } from "./conditions";

/** What is known now, beside the spec. */
export type Seen = Pick<Observation, "members" | "jobs"> & { readonly now: Date };

/** Undefined where there is none. `before` is the condition as it was: what was said last does not go away while no primary says anything. */
export function archiving(
  spec: DatabaseSpec,
  { members, jobs, now }: Seen,
  before: Condition | undefined,
): Verdict | undefined {
  if (!keepsChanges(spec)) return undefined;
  const primary = primaryOf(members);
  const isOnVolume = keepsLogs(spec);
  const gap = isOnVolume ? gapOnVolume(spec, primary, before) : gapInStorage(primary, { before, now });
  // on a volume the program itself sees which backup has what is missing
  const isOpen = gap !== undefined && (isOnVolume || !isClosed(gap.at, jobs, before));
  return isOpen
    ? { status: "False", reason: "ArchiveGap", message: gap.message }
    : presently(primary, { before, waits: isOnVolume ? logsWait : waitsOn });
}

const gapInStorage = (
  primary: Member | undefined,
  at: { readonly before: Condition | undefined; readonly now: Date },
): Gap | undefined => gapOf(primary?.archive?.gap) ?? gapToldIn(at.before) ?? strandedBy(primary, at);

/** Every primary knows the same: one that says nothing of a gap knows that a backup has closed it. */
function gapOnVolume(
  spec: Pick<DatabaseSpec, "engine">,
  primary: Member | undefined,
  before: Condition | undefined,
): Gap | undefined {
  const note = primary?.archive;
  if (note === undefined || isSilent(note)) return gapToldIn(before);
  if (note.gap === undefined) return undefined;
  const { segment, at } = note.gap;
  const gone =
    factsOf(spec.engine).changes === "binary logs"
      ? `transactions ${segment} were gone before they were copied`
      : `WAL up to ${segment} was gone before it was copied`;
  return { segment, at, message: `${gone}, as was found at ${at}: ${closingOnVolume(spec)}` };
}

/** Said by the primary itself, while the program that keeps changes says nothing. */
const isSilent = ({ state, recoverableFrom, gap }: ArchiveNote): boolean =>
  state === "Waiting" && recoverableFrom === undefined && gap === undefined;

const closingOnVolume = ({ engine }: Pick<DatabaseSpec, "engine">): string =>
  factsOf(engine).changes === "binary logs"
    ? "no restore gets past them. A backup is taken as soon as binary logs are copied again; from it on there is no gap"
    : "no restore gets past it. A backup is taken as soon as WAL is copied again; from it on there is no gap";

interface Before {
  readonly before: Condition | undefined;
  /** The beginning of what is said where something waits on a member. */
  readonly waits: (member: string) => string;
}

function presently(primary: Member | undefined, { before, waits }: Before): Verdict {
  switch (primary?.archive?.state) {
    case "Waiting": {
      const why = primary.archive.message ?? "no reason was given";
      return { status: "False", reason: "ArchiveWaiting", message: `${waits(primary.name)}${why}` };
    }
    case "Arriving":
      return { status: "True", reason: "ArchiveArriving", message: "what the primary writes arrives" };
    case undefined:
      return lastSaid(before) ?? pending;
  }
}

const logsWait = (): string => "what the primary writes does not arrive on the backup volume: ";

/** Read again by `strandedBy`. */
const waitsOn = (member: string): string => `WAL waits on the data volume of ${member}, the primary: `;

const pending: Verdict = {
  status: "False",
  reason: "ArchivePending",
  message: "the primary has not said yet whether what it writes arrives",
};

function lastSaid(before: Condition | undefined): Verdict | undefined {
  if (before?.reason === "ArchiveArriving")
    return { status: "True", reason: "ArchiveArriving", message: before.message };
  if (before?.reason === "ArchiveWaiting")
    return { status: "False", reason: "ArchiveWaiting", message: before.message };
  return undefined;
}

/** What no restore gets past. */
export interface Gap {
  /** The last segment that was given up; empty where that is not known. */
  readonly segment: string;
  /** When; RFC 3339. */
  readonly at: string;
  readonly message: string;
}

const closing = "no restore gets past it. A backup is taken as soon as WAL arrives again; from it on there is no gap";

/** As the primary says. */
function gapOf(noted: ArchiveNote["gap"]): Gap | undefined {
  if (noted === undefined) return undefined;
  const { segment, at } = noted;
  const message = `WAL up to ${segment} was given up at ${at}, so that it does not fill the data volume: ${closing}`;
  return { segment, at, message };
}

/** As it was said before another member became primary, which knows nothing of it. */
export function gapToldIn(before: Condition | undefined): Gap | undefined {
  if (before?.reason !== "ArchiveGap") return undefined;
  const { message, lastTransitionTime } = before;
  const [, segment = ""] = /^(?:WAL up to|transactions) (.+?) (?:was given up|was gone|were gone)/.exec(message) ?? [];
  // the condition may have been False for longer
  const [, at = lastTransitionTime] = /\bat (\d{4}-\d\d-\d\dT[\d:.]+Z)/.exec(message) ?? [];
  return { segment, at, message };
}

/** What waited on a primary that is one no longer is sent by none: a member sends what it writes as the primary itself. */
function strandedBy(
  primary: Member | undefined,
  { before, now }: { readonly before: Condition | undefined; readonly now: Date },
): Gap | undefined {
  if (before?.reason !== "ArchiveWaiting" || primary?.archive === undefined) return undefined;
  const [, former] = /^WAL waits on the data volume of (\S+), the primary: /.exec(before.message) ?? [];
  if (former === undefined || former === primary.name) return undefined;
  const at = now.toISOString().replace(/\.\d+Z$/, "Z");
  const message = `WAL waited on the data volume of ${former} when ${primary.name} was found to be the primary at ${at}, and may be lost to the archive: ${closing}`;
  return { segment: "", at, message };
}

/** Whether a time is after another, both in RFC 3339. */
export const isSince = (time: string, at: string): boolean => Date.parse(time) > Date.parse(at);

/** Whether a backup was begun after it. Once that was seen it stays so when the Job has gone. */
function isClosed(at: string, jobs: readonly JobRun[], before: Condition | undefined): boolean {
  const isAfter = (time: string): boolean => isSince(time, at);
  return (
    jobs.some(
      ({ component, state, createdAt }) => component === "backup" && state === "succeeded" && isAfter(createdAt),
    ) ||
    (before !== undefined && before.reason !== "ArchiveGap" && isAfter(before.lastTransitionTime))
  );
}
