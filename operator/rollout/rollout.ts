// Gives members the present template, one at a time: takes the next step of a rollout, and says how far it is.
import { settled, stalled, waiting, type Outcome } from "../domain/outcome";
import type { ChildRole } from "../../components/naming";
import type { DatabaseMetadata } from "../api/object";
import type { DatabaseSpec } from "../api/spec";
import type { Revision, StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { FreshMember, JobRun, Member } from "../domain/members";
import type { Ports, Reach } from "../domain/ports";
import { placementOf } from "../placement/members";
import { standingOf } from "./standing";
import { windowBefore, type ShutWindow } from "./window";
import { nextStep, type Situation, type RolloutStep } from "./next-step";

type RolloutPorts = Pick<
  Ports,
  "world" | "members" | "engines" | "placement" | "fleet" | "changes" | "now" | "databases" | "onRestart"
>;

/** The Job that creates the application's role and database: before it has succeeded no client uses the database. */
const initialization: ChildRole = "initialization";
const hasInitialized = ({ component, state }: JobRun): boolean => component === initialization && state === "succeeded";

/** How soon to look again at members of which no watch reported anything, in milliseconds. */
const lookAgainMs = 30_000;
/** How soon to try again where the watches lag, in milliseconds. */
const tryAgainMs = 1000;

/** Whose members, and what the last runs left. */
export interface Rollout {
  readonly key: Key;
  readonly metadata: DatabaseMetadata;
  readonly record: Pick<StackRecord, "workload" | "history" | "agreed">;
  readonly spec: DatabaseSpec;
}

/** To be called when the children are as declared. Restarts at most one member, and none while all have the template. */
export async function rollOut(rollout: Rollout, at: RolloutPorts): Promise<Outcome> {
  const { workload, members, jobs } = at.world.observe(rollout.key);
  const situation = situationOf(rollout, { workload, members });
  const step = nextStep({ ...situation, isFirst: !jobs.some(hasInitialized) });
  tellFleet(rollout, step, situation, at);
  switch (step.kind) {
    case "none":
      return settled();
    case "wait":
      return waiting("Restarting", waitText(step, rollout), lookAgainMs);
    case "rejected":
      return stalled("ConfigRejected", rejectionText(step, members.length > 1, rollout));
    case "restart": {
      const isAsked = !step.begun && isPlatforms(rollout);
      const held = isAsked ? heldBack(rollout, members.length, at) : undefined;
      if (held !== undefined)
        return waiting("Restarting", `${withCause(step.text, rollout)}; held back: ${held.text}`, held.afterMs);
      const { isBegun, outcome } = await restart(rollout, step.text, at);
      if (isAsked && !isBegun) at.fleet.forget(rollout.key);
      return outcome;
    }
  }
}

const waitText = ({ text, obstacle }: Extract<RolloutStep, { kind: "wait" }>, rollout: Rollout): string =>
  [
    withCause(text, rollout),
    ...(obstacle === undefined ? [] : [obstacle, "no other member is restarted until it does"]),
  ].join("; ");

/** What the restarts are for. */
const revisionIn = ({ record: { history } }: Rollout): Revision | undefined =>
  history.find(({ restarts }) => restarts !== undefined);

/** Whether the restarts are asked for by something other than the Database itself. */
const isPlatforms = (rollout: Rollout): boolean => revisionIn(rollout)?.byPlatform === true;

/** Who writes a ConfigMap of a namespace asks for nothing elsewhere. */
const reachOf = (rollout: Rollout): Reach => (revisionIn(rollout)?.source === "ConfigMap" ? "namespace" : "all");

/** Why it may not begin: one that waits for a window leaves the others their turns. */
function heldBack(rollout: Rollout, members: number, at: RolloutPorts): ShutWindow | undefined {
  const shut = windowBefore({ ...rollout, revision: revisionIn(rollout), members }, at);
  if (shut !== undefined) {
    at.fleet.forget(rollout.key);
    return shut;
  }
  const text = at.fleet.ask(rollout.key, { members, reach: reachOf(rollout) });
  return text === undefined ? undefined : { text, afterMs: lookAgainMs };
}

/** What this turn means for the restarts of other Databases. */
function tellFleet(rollout: Rollout, step: RolloutStep, seen: Situation, { fleet }: RolloutPorts): void {
  const standing = isPlatforms(rollout) ? standingOf(step, seen) : { kind: "none" as const };
  switch (standing?.kind) {
    case "none":
      fleet.forget(rollout.key);
      return;
    case "through":
      fleet.done(rollout.key);
      return;
    case "restarting":
    case "stopped":
      fleet.note(rollout.key, standing, reachOf(rollout));
      return;
    case undefined:
  }
}

function situationOf<M extends Member>(
  { metadata, record: { workload: applied, history } }: Rollout,
  seen: Pick<Situation<M>, "workload" | "members">,
): Situation<M> {
  const isNow = history[0]?.restarts !== undefined;
  const changed = isNow ? "now" : causeIn(history) === undefined ? "never" : "before";
  return { name: metadata.name, applied, changed, ...seen };
}

/** How a restart that was to begin went. */
interface Attempt {
  readonly isBegun: boolean;
  readonly outcome: Outcome;
}

const notYet = (message: string, afterMs: number): Attempt => ({
  isBegun: false,
  outcome: waiting("Restarting", message, afterMs),
});

/** What is deleted is decided once more, from members read again: a watch may lag, and roles move. */
async function restart(rollout: Rollout, text: string, at: RolloutPorts): Promise<Attempt> {
  const message = withCause(text, rollout);
  const now = await at.members.read(rollout.key);
  const known = at.world.observe(rollout.key).members;
  const members = now.members.map((member) => ({ ...member, failure: failureOf(member, known) }));
  const step = nextStep(situationOf(rollout, { ...now, members }));
  if (step.kind !== "restart") return notYet(message, tryAgainMs);
  const obstacle = await obstacleTo(rollout, step.member, at);
  if (obstacle !== undefined) return notYet(`${message}; not yet: ${obstacle}`, lookAgainMs);
  const eviction = await at.members.evict(step.member);
  switch (eviction.kind) {
    case "begun":
      announce(rollout, step.member, { text: step.text, at });
      return { isBegun: true, outcome: waiting("Restarting", withCause(step.text, rollout), lookAgainMs) };
    case "changed":
      return notYet(message, tryAgainMs);
    case "forbidden":
      return notYet(`${message}; not yet: ${eviction.message}`, eviction.afterMs);
  }
}

/** No member that serves is taken away for a successor that no node could take. */
async function obstacleTo({ spec, metadata }: Rollout, member: Member, at: RolloutPorts): Promise<string | undefined> {
  if (!member.ready) return undefined;
  return placementOf(member.name, { namespace: member.namespace, name: metadata.name, spec }, at);
}

/** A start that is tried again and again is seen to fail by the watches, and not at every single look. */
function failureOf({ uid, ready, failure }: Member, known: readonly Member[]): string | undefined {
  return failure ?? (ready ? undefined : known.find((member) => member.uid === uid)?.failure);
}

function announce(
  { key, metadata, record }: Rollout,
  member: FreshMember,
  { text, at }: { readonly text: string; readonly at: RolloutPorts },
): void {
  const role = member.role ?? "none";
  const why = causeIn(record.history) ?? unknownCause;
  const broken = member.failure === undefined ? "" : `, which does not start (${member.failure})`;
  const message = `${text}${role === "none" ? "" : ` (${role})`}${broken}; why: ${why}`;
  at.databases.recordEvent(metadata, { type: "Normal", reason: "Restarting", message });
  at.onRestart({ key, member: member.name, role, message });
}

/** Where it is not recorded what changed: the StatefulSet was edited, or its state was lost. */
const unknownCause = "its pod was created from another template";

const causeIn = (history: readonly Revision[]): string | undefined =>
  history.find(({ restarts }) => restarts !== undefined)?.restarts;

function withCause(text: string, { record }: Rollout): string {
  const cause = causeIn(record.history);
  return cause === undefined ? text : `${text} (${cause})`;
}

function rejectionText(
  { member: { name }, why, isFirst }: Extract<RolloutStep, { kind: "rejected" }>,
  hasOthers: boolean,
  { record }: Rollout,
): string {
  if (isFirst)
    return `${name} does not start for the first time: ${why}; its log says more. Correct spec.config: the members then start by themselves`;
  const cause = causeIn(record.history);
  const changed = cause === undefined ? "" : ` What was changed: ${cause}.`;
  const others = hasOthers ? "; the others keep the previous settings until then" : "";
  return `${name}, the first member with the new settings, does not start: ${why}; its log says more.${changed} Correct spec.config or what else was changed, or revert it: ${name} is then recreated automatically${others}`;
}
