// A major upgrade in a reconcile (ADR 48): how it begins, and, once the stack is as its phase declares, what comes next.
import { memberName } from "../../components/naming";
import { majorOf } from "../../contract/versions";
import type { Database } from "../api/object";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { ObservedDatabase } from "../domain/observed-database";
import type { FreshMember, MembersNow } from "../domain/members";
import { due, stalled, waiting, type Outcome } from "../domain/outcome";
import type { DatabaseEvent, Ports, UpgradeJobSeen } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import {
  declarationOf,
  isAtRest,
  isBetween,
  nextOf,
  stamped,
  type Upgrade,
  type UpgradeObstacle,
  type UpgradePhase,
  type UpgradeSight,
  type UpgradeStep,
} from "../domain/upgrade";
import { isServing } from "./conditions";
import { beginningOf } from "./upgrade-begin";
import { backupWishOf, imageOf, requestOf } from "./upgrade-declared";
import { lateText } from "./upgrade-late";
import { roomObstacle } from "./upgrade-room";
import { isFormerGone } from "./upgrade-way-back";
import { endText, findingsText, obstacleReasons, obstacleText, phaseText } from "./upgrade-texts";

/** How soon to look again, in milliseconds; watches usually report earlier. */
const lookAgainMs = 2_000;
/** The same of nodes, which no watch reports. */
const roomAgainMs = 30_000;

/** What a person asks for that concerns upgrades. */
export interface UpgradeWish {
  readonly wanted: string;
  readonly confirmed: string | undefined;
}

/** Where what a person asks for cannot be had: the way continues, as a database must not stay down for that, and nothing is confirmed. */
const onItsWay = (upgrade: Upgrade): UpgradeWish => ({
  wanted: upgrade[upgrade.heading],
  confirmed: upgrade.disregarded,
});

/** What a Database that is being deleted asks for, where that can be had; nothing is confirmed by it any more. */
export async function wishIn(
  key: Key,
  { parsed }: Pick<ObservedDatabase, "parsed">,
  { records }: Pick<Ports, "records">,
): Promise<UpgradeWish | undefined> {
  const upgrade = (await records.load(key))?.upgrade;
  if (!parsed.ok || upgrade === undefined || !isBetween(upgrade, parsed.database.spec.version)) return undefined;
  return { ...onItsWay(upgrade), wanted: parsed.database.spec.version };
}

/**
 * What counts while a change waits: a confirmation of the version that runs. Not where a release of the operator waits: removing the former files
 * is a run, which would bring that release.
 */
export async function confirmationIn(
  key: Key,
  { parsed }: Pick<ObservedDatabase, "parsed">,
  { records, release }: Pick<Ports, "records" | "release">,
): Promise<UpgradeWish | undefined> {
  const record = await records.load(key);
  if (!parsed.ok || record?.upgrade === undefined || record.release !== release) return undefined;
  const { version, upgrade } = parsed.database.spec;
  const way = onItsWay(record.upgrade);
  return version === way.wanted ? { ...way, confirmed: upgrade?.confirmed } : undefined;
}

/** What a step is decided by. */
export interface UpgradeSources extends Pick<Ports, "upgrades"> {
  readonly world: Pick<Ports["world"], "catalogue">;
  readonly members: Pick<Ports["members"], "read">;
  readonly lastLook: Pick<Ports["lastLook"], "finalBackup">;
  readonly backups: Pick<Ports["backups"], "isTold">;
}

type UpgradePorts = UpgradeSources & Pick<Ports, "records" | "databases" | "engines" | "placement" | "now">;

interface UpgradeContext {
  readonly at: UpgradePorts;
  readonly looksOnly: boolean;
  /** What the person asks for; undefined where that cannot be had. */
  readonly wish: UpgradeWish | undefined;
}

/** Where another major version is asked for. Undefined once the upgrade to it is noted, or where none is to begin and nothing is refused. */
export async function beginUpgrade(
  key: Key,
  { metadata }: Pick<Database, "metadata">,
  desired: Desired,
  { at, looksOnly }: Pick<UpgradeContext, "looksOnly"> & { readonly at: UpgradePorts },
): Promise<Outcome | undefined> {
  const record = await at.records.load(key);
  const beginning = beginningOf({ desired, record }, at);
  if (beginning.kind === "refused") return beginning.outcome;
  if (beginning.kind === "none" || record === undefined) return undefined;
  if (looksOnly) return due();
  const { upgrade } = beginning;
  await at.records.save(key, { ...record, upgrade });
  at.databases.recordEvent(metadata, { type: "Normal", reason: "Upgrading", message: phaseText(upgrade) });
  return undefined;
}

/** To be called when the stack is as declared, with the outcome of that: what follows, and is noted before the run that declares it. */
export async function nextPhase(
  key: Key,
  database: Pick<Database, "metadata" | "spec">,
  outcome: Outcome,
  { at, looksOnly, wish }: UpgradeContext,
): Promise<Outcome> {
  const record = await at.records.load(key);
  if (record?.upgrade === undefined || !isApplied(outcome)) return outcome;
  const { upgrade } = record;
  const { metadata } = database;
  const { step, job } = await stepNow(key, upgrade, wish, at);
  const obstacle = await roomObstacle(upgrade, step, database, at);
  if (obstacle !== undefined) return waiting("Upgrading", `${phaseText(upgrade)}; not yet: ${obstacle}`, roomAgainMs);
  switch (step.kind) {
    case "wait":
      return inPhase(upgrade, outcome, lateText(upgrade, { name: metadata.name, job, now: at.now() }));
    case "stalled":
      return stalledBy(step.why, upgrade, { name: metadata.name, job });
    case "go":
    case "end":
      return looksOnly ? due() : note(key, { metadata, record, upgrade, step, job }, at);
  }
}

/** What follows from what is seen now, provided that the stack is as declared. */
export async function stepNow(
  key: Key,
  upgrade: Upgrade,
  wish: UpgradeWish | undefined,
  at: UpgradeSources,
): Promise<{ readonly step: UpgradeStep; readonly job: UpgradeJobSeen | undefined }> {
  const job = await jobOf(key, upgrade, at);
  const sight = { ...(await sightOf(key, upgrade, at)), ...seenOf(job), ...(wish ?? onItsWay(upgrade)) };
  return { step: nextOf(upgrade, sight), job };
}

/** At rest in a phase that waits for nothing but a person. */
const inPhase = (upgrade: Upgrade, outcome: Outcome, late: string): Outcome =>
  !isAtRest(upgrade) && outcome.kind === "settled"
    ? waiting("Upgrading", `${phaseText(upgrade)}${late}`, lookAgainMs)
    : outcome;

const stalledBy = (
  why: UpgradeObstacle,
  upgrade: Upgrade,
  { name, job }: { readonly name: string; readonly job: UpgradeJobSeen | undefined },
): Outcome =>
  stalled(obstacleReasons[why], obstacleText(why, upgrade, { name, said: job?.report?.message ?? upgrade.complaint }));

/** A rollout may wait for a member that does not start with what the upgrade brought: then the way back must be open. */
function isApplied(outcome: Outcome): boolean {
  if (outcome.kind === "waiting") return outcome.reason === "Restarting";
  return outcome.kind === "settled" || (outcome.kind === "stalled" && outcome.reason === "ConfigRejected");
}

interface Noting {
  readonly metadata: Database["metadata"];
  readonly record: StackRecord;
  readonly upgrade: Upgrade;
  readonly step: Extract<UpgradeStep, { kind: "go" | "end" }>;
  readonly job: UpgradeJobSeen | undefined;
}

async function note(key: Key, noting: Noting, at: UpgradePorts): Promise<Outcome> {
  const { metadata, record, upgrade, step, job } = noting;
  if (step.kind === "end") {
    await at.records.save(key, { ...record, upgrade: undefined });
    const message = endText(upgrade);
    at.databases.recordEvent(metadata, { type: "Normal", reason: "UpgradeEnded", message });
    return waiting("Updating", message, 0);
  }
  const next = complaining(stamped(upgrade, step.upgrade, at.now()), job);
  await at.records.save(key, { ...record, upgrade: next });
  at.databases.recordEvent(metadata, eventOf(upgrade, next, job));
  return waiting("Upgrading", phaseText(next), 0);
}

function eventOf(before: Upgrade, next: Upgrade, job: UpgradeJobSeen | undefined): DatabaseEvent {
  if (next.failed && !before.failed) {
    const why = next.complaint ?? "the log of its Job says why";
    return { type: "Warning", reason: "UpgradeFailed", message: `the upgrade failed: ${why}; ${phaseText(next)}` };
  }
  const findings = job?.state === "succeeded" && job.report !== undefined ? findingsText(job.report) : "";
  return { type: "Normal", reason: "Upgrading", message: `${phaseText(next)}${findings}` };
}

/** Why it failed stays known when its Job is gone. */
const complaining = (next: Upgrade, job: UpgradeJobSeen | undefined): Upgrade =>
  next.failed && next.complaint === undefined && job?.report !== undefined
    ? { ...next, complaint: job.report.message }
    : next;

async function jobOf(key: Key, upgrade: Upgrade, at: Pick<Ports, "upgrades">): Promise<UpgradeJobSeen | undefined> {
  const { job } = declarationOf(upgrade);
  return job === undefined ? undefined : at.upgrades.job(key, requestOf(upgrade, job));
}

const seenOf = (job: UpgradeJobSeen | undefined): Pick<UpgradeSight, "job" | "seconds"> => {
  const seconds = job?.report?.conversionSeconds;
  return { job: job?.state, ...(seconds !== undefined && { seconds }) };
};

/** All of a sight but Job and wish. */
type Scene = Omit<UpgradeSight, "job" | "seconds" | "wanted" | "confirmed">;

const nothingSeen: Scene = {
  ...{ backup: undefined, pods: Infinity, leads: "none" },
  ...{ leadsAlone: false, isFirstCurrent: false, isInitialized: false, areOthersGone: false, isFormerGone: false },
};

/** What each phase is decided by; nothing else is asked for. */
const looks: Partial<
  Record<UpgradePhase, (key: Key, upgrade: Upgrade, at: UpgradeSources) => Promise<Partial<Scene>>>
> = {
  BackingUp: async (key, upgrade, at) => ({
    backup: await backupOf(key, upgrade, at),
    isFirstCurrent: isFirstCurrent(await at.members.read(key)),
  }),
  Gathering: async (key, _, { members, upgrades }) => ({
    leads: leaderIn(key, await members.read(key)),
    leadsAlone: await upgrades.leadsAlone(key),
    // after the members: what comes meanwhile is counted
    pods: await upgrades.occupants(key),
  }),
  Stopping: async (key, _, { upgrades }) => ({ pods: await upgrades.occupants(key) }),
  Starting: async (key, upgrade, { members, upgrades, world }) => {
    const { version } = declarationOf(upgrade);
    return {
      leads: leaderIn(key, await members.read(key)),
      isInitialized: await upgrades.isInitialized(key, imageOf(upgrade, version, world.catalogue)),
    };
  },
  AwaitingConfirmation: async (key, upgrade, { members }) => ({
    isFormerGone: isFormerGone((await members.read(key)).members, upgrade),
  }),
  Removing: async (key, upgrade, { members }) => ({
    areOthersGone: areOthersGone(await members.read(key), upgrade[upgrade.heading]),
  }),
};

const sightOf = async (key: Key, upgrade: Upgrade, at: UpgradeSources): Promise<Scene> => ({
  ...nothingSeen,
  ...(await looks[upgrade.phase]?.(key, upgrade, at)),
});

/** With its Job goes what is known of the backup: it has not ended before that is recorded. */
async function backupOf(key: Key, upgrade: Upgrade, at: UpgradeSources): Promise<UpgradeSight["backup"]> {
  const wish = backupWishOf(upgrade);
  const backup = await at.lastLook.finalBackup(key, wish);
  return backup === "succeeded" && !(await at.backups.isTold(key, wish)) ? "running" : backup;
}

const isFirstCurrent = ({ members }: MembersNow): boolean =>
  members.some(
    (member) =>
      member.name === memberName(member.database, 0) &&
      isServing(member) &&
      (member.role === "primary" || member.streaming),
  );

function leaderIn(key: Key, { members }: MembersNow): UpgradeSight["leads"] {
  const leader = members.find((member) => member.role === "primary" && isServing(member));
  if (leader === undefined) return "none";
  return leader.name === memberName(leader.database, 0) ? "member 0" : "another";
}

function areOthersGone({ workload, members }: MembersNow, version: string): boolean {
  const hasNone = ({ keptFiles }: FreshMember): boolean =>
    keptFiles?.major === majorOf(version) && keptFiles.kept.length === 0;
  return workload !== undefined && members.length === workload.wanted && members.every(hasNone);
}
