// What the history tells of members: why one started last, and what happened, for longer than events are kept. Pure.
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import type { Incident as Recorded } from "../../operator/api/revisions/status";
import type { SeenMember } from "../objects/member";
import { askerOf } from "../objects/revision";
import { durationText } from "../output/amounts";
import type { Incident } from "./incidents";

/** Clocks of nodes and operator differ, in milliseconds. */
const toleranceMs = 10_000;

/** From what led to the present start of a member to what led to that; empty where it is not recorded. `revisions`: the newest first. */
export function recordedChain(member: SeenMember, revisions: readonly DatabaseRevision[]): readonly string[] {
  const isSamePod = member.restarts > 0 || member.serverEndedAt !== undefined;
  const begin = Date.parse((isSamePod ? member.startedAt : member.createdAt) ?? "") - toleranceMs;
  for (const revision of revisions) {
    const found = (revision.status.incidents ?? []).findLast(
      (incident) =>
        incident.member === member.name &&
        (incident.kind === "Restarted" || incident.kind === "Added") &&
        Date.parse(incident.at) >= begin,
    );
    if (found !== undefined) return [...found.why, ...behind(found, revision)];
  }
  return [];
}

/** Who asked for a change, and who approved it, where it was the cause. */
function behind({ why }: Recorded, revision: DatabaseRevision): string[] {
  const { spec } = revision;
  if (!why.some((text) => text.startsWith(`revision ${spec.revision}:`))) return [];
  return askedFor(revision);
}

function askedFor(revision: DatabaseRevision): string[] {
  const { approval, origin, generation } = revision.spec;
  if (origin === "Repair") return [`put back; it had been changed by ${askerOf(revision)}`];
  const of = generation === undefined || origin === "Platform" ? "" : `, generation ${generation}`;
  const approved = approval?.by === undefined ? "" : `; approved by ${approval.by}, plan ${approval.plan.slice(0, 12)}`;
  return [`asked for by ${askerOf(revision)}${of}${approved}`];
}

/** A line for each change, and for each thing that happened to members. */
export function recordedIncidents(revisions: readonly DatabaseRevision[]): readonly Incident[] {
  return revisions.flatMap((revision) => [
    ...(revision.status.incidents ?? []).map((one) => incidentOf(one, revision)),
    changeOf(revision),
  ]);
}

const common = { isWarning: false, count: 1 } as const;

function incidentOf({ at, kind, member, seconds, why }: Recorded, { spec }: DatabaseRevision): Incident {
  const length = seconds === undefined ? [] : [`no primary was ready for ${durationText(seconds)}`];
  return {
    ...{ at, about: member === undefined ? `Database ${spec.database}` : `Pod ${member}`, reason: kind, ...common },
    message: [...length, ...why].join(" ← "),
  };
}

function changeOf(revision: DatabaseRevision): Incident {
  const { spec } = revision;
  const { database, at, summary } = spec;
  const message = `revision ${spec.revision}: ${spec.restarts ?? summary}, ${askedFor(revision).join(", ")}`;
  return { ...{ at, about: `Database ${database}`, reason: "Changed", message }, ...common };
}
