// What is said of the archive in object storage: pure.
import type { ArchiveNote } from "../../contract/archive-note";
import type { Condition } from "../api/status";
import type { DatabaseSpec } from "../api/spec";
import { archiveNoteOf, type JobRun, type Observation } from "../domain/members";
import type { Verdict } from "./conditions";

/** Undefined where there is none. `before` is the condition as it was: what was said last does not go away while no primary says anything. */
export function archiving(
  spec: DatabaseSpec,
  { members, jobs }: Pick<Observation, "members" | "jobs">,
  before: Condition | undefined,
): Verdict | undefined {
  if (!spec.backup.enabled || spec.backup.destination?.s3 === undefined) return undefined;
  const note = archiveNoteOf(members);
  const gap = gapOf(note?.gap, before);
  const isOpen = gap !== undefined && !isClosed(gap.at, jobs, before);
  return isOpen ? { status: "False", reason: "ArchiveGap", message: gap.message } : presently(note, before);
}

function presently(note: ArchiveNote | undefined, before: Condition | undefined): Verdict {
  switch (note?.state) {
    case "Waiting": {
      const message = `WAL waits on the data volume of the primary: ${note.message ?? "no reason was given"}`;
      return { status: "False", reason: "ArchiveWaiting", message };
    }
    case "Arriving":
      return { status: "True", reason: "ArchiveArriving", message: "what the primary writes arrives" };
    case undefined:
      return lastSaid(before) ?? pending;
  }
}

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

interface Gap {
  readonly at: string;
  readonly message: string;
}

/** As the primary says, or as it was said before another member became that. */
function gapOf(
  noted: { readonly segment: string; readonly at: string } | undefined,
  before: Condition | undefined,
): Gap | undefined {
  if (noted !== undefined) {
    const message = `WAL up to ${noted.segment} was given up at ${noted.at}, so that it does not fill the data volume: no restore gets past it. A backup is taken as soon as WAL arrives again; from it on there is no gap`;
    return { at: noted.at, message };
  }
  return before?.reason === "ArchiveGap" ? { at: before.lastTransitionTime, message: before.message } : undefined;
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
