// The status of a DatabaseRevision after one more look: pure.
import { revisionLimits as limits } from "../api/revisions/limits";
import type { RevisionSpec } from "../api/revisions/spec";
import type { Incident, RevisionStatus } from "../api/revisions/status";
import type { Observation } from "../domain/members";
import { shortened } from "../domain/shortened";
import { happenedSince, type MembersLook, type Seen } from "./incidents";
import type { Standing } from "./standing";

/** What is looked at. */
export interface Look {
  readonly observation: Observation;
  readonly standing: Standing;
  readonly now: Date;
  /** How the revision before left the members; empty where there is none. */
  readonly former: Seen;
  /** Whether a turn is at work, so that there may be a newer change than is known. */
  readonly isAtWork: boolean;
}

const timeText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

/** What members got with it. */
export const changeText = ({ revision, restarts, summary }: RevisionSpec): string =>
  shortened(`revision ${revision}: ${restarts ?? summary}`, limits.message);

/** What is said of members that get something when every one has had what the newest change brought. */
const unrecorded = "the StatefulSet was changed, and not by a change that is on record";

/** Of the newest revision of a Database. */
export function statusAfter(previous: RevisionStatus, spec: RevisionSpec, look: Look): RevisionStatus {
  const told = withMembers(previous, spec, look);
  return isOver(previous) ? told : { ...told, ...progressOf(told, spec, withoutPrimary(told, look)) };
}

/** While no primary leads it is not through, whatever pods say: the role of a member comes after its readiness. */
const withoutPrimary = ({ interruptedSince }: RevisionStatus, look: Look): Look =>
  interruptedSince !== undefined && look.standing.kind === "through"
    ? { ...look, standing: { kind: "underway" } }
    : look;

/** Whether nothing more comes of it. */
export const isOver = ({ result }: RevisionStatus): boolean => result === "Complete" || result === "Superseded";

function withMembers(
  previous: RevisionStatus,
  spec: RevisionSpec,
  { observation, now, former, standing, isAtWork }: Look,
): RevisionStatus {
  const before = previous.members === undefined ? former : previous;
  // while a Database is created its members come and go, and no one uses it yet
  if (before.members === undefined && standing.kind !== "through") return previous;
  const change = isOver(previous) ? unrecorded : changeText(spec);
  const look = { ...membersIn(observation), change, now, isAtWork };
  const earlier = previous.incidents ?? [];
  const { incidents, seen } = happenedSince(before, earlier, look);
  const found = before.members === undefined ? [] : incidents;
  return {
    ...{ ...previous, interruptedSince: undefined },
    ...seen,
    ...(found.length > 0 && { incidents: [...earlier, ...found].slice(-limits.incidents) }),
    ...(isOver(previous) ? {} : countsOf(previous, found, look.change)),
  };
}

const membersIn = ({ members, workload }: Observation): Pick<MembersLook, "members" | "wanted" | "template"> => ({
  members,
  wanted: workload?.wanted,
  template: workload?.revision,
});

/** Of what belongs to the change: later restarts and failovers are incidents alone. */
function countsOf(
  { restarted = 0, interruptionSeconds = 0 }: RevisionStatus,
  found: readonly Incident[],
  change: string,
): Pick<RevisionStatus, "restarted" | "interruptionSeconds"> {
  const restarts = restarted + found.filter(({ kind, why }) => kind === "Restarted" && why[0] === change).length;
  const seconds = interruptionSeconds + found.reduce((sum, { seconds: one = 0 }) => sum + one, 0);
  return {
    ...(restarts > 0 && { restarted: restarts }),
    ...(seconds > 0 && { interruptionSeconds: seconds }),
  };
}

type Progress = Pick<RevisionStatus, "result" | "message" | "completedAt" | "seconds">;

function progressOf({ result }: RevisionStatus, { at, runSeconds }: RevisionSpec, { standing, now }: Look): Progress {
  switch (standing.kind) {
    case "through":
      return {
        ...{ result: "Complete", message: undefined, completedAt: timeText(now) },
        seconds: Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000)) + runSeconds,
      };
    case "stopped":
      return { result: "Stopped", message: shortened(standing.message, limits.summary) };
    case "underway":
      return { result: "Progressing", message: undefined };
    case "unknown":
      return { result: result ?? "Progressing" };
  }
}

/** Of one that is not the newest any more; `next` came after it. */
export function supersededBy(previous: RevisionStatus, next: Pick<RevisionSpec, "at">): RevisionStatus {
  if (isOver(previous)) return previous;
  return { ...previous, interruptedSince: undefined, result: "Superseded", completedAt: next.at };
}

/** What of a status counts for the next revision. */
export const leftBy = (status: RevisionStatus | undefined): Seen => ({
  ...(status?.members !== undefined && { members: status.members }),
  ...(status?.primary !== undefined && { primary: status.primary }),
  ...(status?.interruptedSince !== undefined && { interruptedSince: status.interruptedSince }),
});
