// Which members restart, why, and in which order: as operator/rollout does it. Pure.
import { startParameters } from "../../components/member";
import type { FieldChange } from "../domain/runner";
import { stayingMembers, waitsForRoom, type Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";
import { revisionAfter } from "./revisions";

const template = "spec.template";

const startParametersPattern = startParameters.annotation.replace(/[./]/g, "\\$&");

/** What in a pod's template is reported by a name of its own, and what is the rest. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/\.image$/, "another image"],
  [new RegExp(startParametersPattern), "parameters that take effect only at a restart"],
  [/\.resources\b/, "other resources"],
  [/^spec\.template\.spec\.(nodeSelector|tolerations|affinity)\b/, "another placement"],
  [/^spec\.template\.spec\.priorityClassName\b/, "another priority class"],
  [/^spec\.template\.spec\.imagePullSecrets\b/, "other pull secrets"],
  [
    new RegExp(`^spec\\.template\\.metadata\\.(labels|annotations)\\b(?!.*${startParametersPattern})`),
    "other labels or annotations of pods",
  ],
];

/** The fields of the members' template that change. */
function changedIn({ workload }: Facts): readonly FieldChange[] {
  const fields = workload?.operation === "update" ? workload.fields : [];
  return fields.filter(({ path }) => path.startsWith(template));
}

/**
 * Of those that stay, all but those that were created from what they should have. Where the template stays as it is, those that an earlier
 * change of it has not reached.
 */
export function restartingMembers(at: Facts): readonly string[] {
  const changed = changedIn(at);
  const next = at.made && revisionAfter(changed, at.made);
  if (changed.length === 0 && next === undefined) return [];
  const has = (member: string): boolean => next !== undefined && at.made?.members.get(member) === next;
  return stayingMembers(at).filter((member) => !has(member));
}

/** Where nodes are autoscaled the operator is configured so, and lets the first one wait for its node. */
export function heldRestarts(at: Facts): Consequence[] {
  if (at.noPlace === undefined || restartingMembers(at).length === 0) return [];
  return [
    harmless(
      `${at.noPlace}: until that changes no member restarts, and running members keep their settings (with nodeAutoscaling the first to restart waits for its node)`,
    ),
  ];
}

/** Of a single member: nothing serves meanwhile. */
export function restartsOfAll(at: Facts): Consequence[] {
  const members = ordered(restartingMembers(at), at);
  if (members.length === 0) return [];
  const why = causeOf(changedIn(at));
  if (at.members === 1) {
    const message = `the one member restarts (${why}): the database is unreachable meanwhile`;
    return [{ effect: "Downtime", members, ...waitsForRoom(at), message }];
  }
  return [{ effect: "RollingRestart", members, ...waitsForRoom(at), message: restartText(members, why, at) }];
}

/** Of several of which none can be spared: nothing can be written while one restarts. */
export function standstill(at: Facts): Consequence[] {
  const members = ordered(restartingMembers(at), at);
  if (members.length === 0 || at.members === 1 || !at.needsAll) return [];
  const message = `until each of them is back no write is acknowledged: with ${at.members} members none can be spared`;
  return [{ effect: "Downtime", members, ...waitsForRoom(at), message }];
}

/** The primary is among those that restart, or may be. */
export function handover(at: Facts): Consequence[] {
  const { primary } = at;
  const restarting = restartingMembers(at);
  const isMoved = restarting.length > 0 && (primary === undefined || restarting.includes(primary));
  if (!isMoved || at.members === 1) return [];
  const message = "when it is the primary's turn another member takes over, and clients reconnect";
  return [{ effect: "Switchover", members: primary === undefined ? [] : [primary], ...waitsForRoom(at), message }];
}

function restartText(members: readonly string[], why: string, at: Facts): string {
  const count = stayingMembers(at).length;
  const order = orderText(members, at);
  if (members.length === count) return `all members restart, one after the other (${why}): ${order}`;
  const restart = members.length === 1 ? "restarts" : "restart, one after the other";
  return `${members.length} of ${count} members ${restart} (${why}): ${order}; the others have these settings already`;
}

function causeOf(changed: readonly FieldChange[]): string {
  if (changed.length === 0) return "an earlier change that is not carried out yet";
  const named = causes.filter(([pattern]) => changed.some(({ path }) => pattern.test(path))).map(([, cause]) => cause);
  return named.length > 0 ? named.join(", ") : "another pod template";
}

/** The primary comes last. */
const ordered = (members: readonly string[], { primary }: Facts): readonly string[] => [
  ...members.filter((member) => member !== primary),
  ...members.filter((member) => member === primary),
];

function orderText(members: readonly string[], { primary }: Facts): string {
  if (primary === undefined) return "the replicas from the highest number down, then the primary";
  const replicas = members.filter((member) => member !== primary);
  if (replicas.length === members.length) return replicas.join(", ");
  return replicas.length === 0 ? `the primary ${primary}` : `${replicas.join(", ")}, then the primary ${primary}`;
}
