// A major upgrade (ADR 48): its phases, what the stack declares in each of them, and what follows from what is seen. Pure.
import { z } from "zod";

/** In their order; a way back begins with Stopping. */
export const upgradePhases = [
  "Rehearsing",
  "BackingUp",
  "Gathering",
  "Stopping",
  "Converting",
  "Starting",
  "AwaitingConfirmation",
  "Removing",
  "GaveUp",
] as const;
export type UpgradePhase = (typeof upgradePhases)[number];

/** One of the two versions of an upgrade. */
const Side = z.enum(["from", "to"]);
export type Side = z.infer<typeof Side>;

/** As the record of the stack keeps it, from before the first run of an upgrade on until a person has confirmed. */
export const Upgrade = z.object({
  /** UID of the Database. */
  uid: z.string(),
  from: z.string(),
  to: z.string(),
  phase: z.enum(upgradePhases),
  /** Those of the members of either version and of the Jobs, for when the catalogue has them no more. */
  images: z.object({ from: z.string(), to: z.string(), job: z.string() }),
  /** Whose members there are to be at the end of this way. */
  heading: Side,
  /** Of which version the files of member 0 are, where members look for them; `either` while a Job may exchange them. */
  files: z.enum([...Side.options, "either"]),
  /** Set once files may be kept beside those that are used. */
  keeps: z.boolean(),
  /** Set once members may have taken writes with the files of the target. */
  served: z.boolean().default(false),
  /** What `spec.upgrade.confirmed` said before its version was known to run, in this upgrade or an earlier one: it confirms nothing until it has changed. */
  disregarded: z.string().optional(),
  /** Set where the conversion failed, so that the way back is the operator's own. */
  failed: z.boolean(),
  /** Why, in the words of its Job. */
  complaint: z.string().optional(),
  /** How long the conversion took in the rehearsal, in seconds: the downtime that is announced. */
  announcedSeconds: z.number().optional(),
  /** Since when no member serves, RFC 3339: from before the run that stops the last one. Missing while members serve. */
  stoppedAt: z.string().optional(),
  /** Since when members start, RFC 3339. Missing once one serves. */
  startingAt: z.string().optional(),
  /** How long none served, in seconds, the last time. */
  downtimeSeconds: z.number().optional(),
});
export type Upgrade = Readonly<z.infer<typeof Upgrade>>;

/** What is noted before the first run. */
export const begunUpgrade = (
  uid: string,
  { from, to, images, disregarded }: Pick<Upgrade, "from" | "to" | "images" | "disregarded">,
): Upgrade => ({
  ...{ uid, from, to, images, phase: "Rehearsing" },
  ...{ heading: "to", files: "from", keeps: false, served: false, failed: false },
  ...(disregarded !== undefined && { disregarded }),
});

/** What the stack declares. */
export interface UpgradeDeclaration {
  /** Of the members. */
  readonly version: string;
  /** `one` is member 0. The claims of all stay declared. */
  readonly members: "all" | "one" | "none";
  readonly job?: UpgradeJob;
  /** Whether a backup is asked for that nothing else asks for. */
  readonly takesBackup: boolean;
  /** Whether members may remove the files of the version that is not theirs. */
  readonly removesOthers: boolean;
}

/**
 * What the Job of an upgrade does: on a copy, with the data of member 0, and the same back. `reinstate`: where a way back is broken off, the files
 * of the target come again into their place, with all that was written.
 */
export type UpgradeJob = "rehearse" | "convert" | "return" | "reinstate";

const membersIn = {
  Rehearsing: "all",
  BackingUp: "all",
  Gathering: "one",
  Stopping: "none",
  Converting: "none",
  Starting: "all",
  AwaitingConfirmation: "all",
  Removing: "all",
  GaveUp: "all",
} as const satisfies Record<UpgradePhase, UpgradeDeclaration["members"]>;

/** See the interface. */
export function declarationOf(upgrade: Upgrade): UpgradeDeclaration {
  const { phase, files } = upgrade;
  const job = jobOf(upgrade);
  return {
    version: files === "to" ? upgrade.to : upgrade.from,
    members: membersIn[phase],
    ...(job !== undefined && { job }),
    takesBackup: phase === "BackingUp",
    removesOthers: phase === "Removing",
  };
}

function jobOf({ phase, heading, served }: Upgrade): UpgradeJob | undefined {
  if (phase === "Rehearsing") return "rehearse";
  if (phase !== "Converting") return undefined;
  if (heading === "from") return "return";
  return served ? "reinstate" : "convert";
}

/** How a Job fares; undefined where there is none yet. */
export type JobStanding = "running" | "succeeded" | "failed" | undefined;

/** What is seen once the stack is as declared, past the watches where a mistake could not be taken back. */
export interface UpgradeSight {
  /** What `spec.version` and `spec.upgrade.confirmed` say. */
  readonly wanted: string;
  readonly confirmed: string | undefined;
  /** Of the upgrade in this phase, and how long the conversion took. */
  readonly job: JobStanding;
  readonly seconds?: number;
  /** Of the backup that was asked for. */
  readonly backup: JobStanding;
  /** Pods that have a data volume, those that are ending and those of Jobs included. */
  readonly pods: number;
  /** Whether a member leads that serves, and whether that is member 0. */
  readonly leads: "member 0" | "another" | "none";
  /** Whether member 0 has on record that it leads, and that no other member may take over. */
  readonly leadsAlone: boolean;
  /** Whether member 0 leads, or receives what the leader writes. */
  readonly isFirstCurrent: boolean;
  /** Whether the init Job has succeeded with the version that is declared. */
  readonly isInitialized: boolean;
  /** Whether each member has said that it has no files of another version any more. */
  readonly areOthersGone: boolean;
  /** Whether member 0 has said that it has no files of the former version any more. */
  readonly isFormerGone: boolean;
}

/** Why nothing happens until a person acts. */
export type UpgradeObstacle =
  "rehearsal failed" | "backup failed" | "conversion failed" | "return failed" | "former files are gone" | WishObstacle;

/** The same, whatever is seen of the cluster. */
export type WishObstacle = "another version is wanted" | "not confirmed yet" | "confirmed already";

/** What is to be done. */
export type UpgradeStep =
  | { readonly kind: "wait" }
  | { readonly kind: "stalled"; readonly why: UpgradeObstacle }
  /** Noted before the run that declares it. */
  | { readonly kind: "go"; readonly upgrade: Upgrade }
  /** Nothing is left to be remembered. */
  | { readonly kind: "end" };

const wait: UpgradeStep = { kind: "wait" };
const end: UpgradeStep = { kind: "end" };
const stalled = (why: UpgradeObstacle): UpgradeStep => ({ kind: "stalled", why });
const go = (upgrade: Upgrade, change: Partial<Upgrade>): UpgradeStep => ({
  kind: "go",
  upgrade: { ...upgrade, ...change },
});

type Decide = (upgrade: Upgrade, sight: UpgradeSight, wish: Side) => UpgradeStep;

/** What comes next. */
export function nextOf(upgrade: Upgrade, sight: UpgradeSight): UpgradeStep {
  const { wanted, confirmed } = sight;
  const why = wishObstacleOf(upgrade, wanted);
  if (why !== undefined) return stalled(why);
  const step = deciders[upgrade.phase](upgrade, sight, wanted === upgrade.to ? "to" : "from");
  if (step.kind !== "go") return step;
  const { heading, phase } = step.upgrade;
  const arrives = phase === "AwaitingConfirmation" && upgrade.phase !== phase;
  return arrives || heading !== upgrade.heading ? go(step.upgrade, { disregarded: confirmed }) : step;
}

/** Why the version that is asked for cannot be had while this upgrade is not over; undefined where it can. */
export function wishObstacleOf({ from, to, heading, phase }: Upgrade, wanted: string): WishObstacle | undefined {
  if (wanted !== from && wanted !== to) return "another version is wanted";
  if (phase === "AwaitingConfirmation" && heading === "from" && wanted === to) return "not confirmed yet";
  return phase === "Removing" && heading === "to" && wanted === from ? "confirmed already" : undefined;
}

const afterRehearsal: Decide = (upgrade, { job, seconds }, wish) => {
  if (wish === "from") return end;
  if (job === "failed") return stalled("rehearsal failed");
  if (job !== "succeeded") return wait;
  return go(upgrade, { phase: "BackingUp", ...(seconds !== undefined && { announcedSeconds: seconds }) });
};

const afterBackup: Decide = (upgrade, { backup, isFirstCurrent }, wish) => {
  if (wish === "from") return end;
  if (backup === "failed") return stalled("backup failed");
  // one that is behind could not take over from those that end
  return backup === "succeeded" && isFirstCurrent ? go(upgrade, { phase: "Gathering" }) : wait;
};

const afterGathering: Decide = (upgrade, { leads, leadsAlone, pods }, wish) => {
  if (wish !== upgrade.heading) return turned(upgrade, wish);
  return leads === "member 0" && leadsAlone && pods === 1 ? go(upgrade, { phase: "Stopping" }) : wait;
};

const afterStopping: Decide = (upgrade, { pods }, wish) => {
  if (wish !== upgrade.heading && !upgrade.failed) return turned(upgrade, wish);
  return pods === 0 ? go(upgrade, { phase: "Converting", files: "either", keeps: true }) : wait;
};

/** Members can start with files that no Job may have exchanged. Otherwise those of the other version are to be put back first. */
const turned = (upgrade: Upgrade, wish: Side): UpgradeStep =>
  go(upgrade, { heading: wish, phase: upgrade.files === wish ? "Starting" : "Stopping" });

const afterConverting: Decide = (upgrade, { job }, wish) => {
  const { heading, served, failed } = upgrade;
  // its Job ends first: the next phase waits for that
  if (wish !== heading && !failed) return go(upgrade, { phase: "Stopping", heading: wish });
  if (job === "succeeded")
    return go(upgrade, { phase: "Starting", files: heading, served: served || heading === "to" });
  if (job !== "failed") return wait;
  return heading === "from"
    ? stalled("return failed")
    : go(upgrade, { phase: "Stopping", heading: "from", failed: true });
};

const afterStarting: Decide = (upgrade, { leads, isInitialized }, wish) => {
  const { heading, keeps, failed } = upgrade;
  if (heading === "to" && wish === "from") return go(upgrade, { phase: "Stopping", heading: "from" });
  if (leads === "none" && breaksOff(upgrade, wish)) return go(upgrade, { phase: "Stopping", heading: "to" });
  if (leads === "none" || !isInitialized) return wait;
  if (failed) return go(upgrade, { phase: "GaveUp" });
  return keeps ? go(upgrade, { phase: "AwaitingConfirmation" }) : end;
};

/** Whether a way back leads forward again: to files that members have run with, as the former ones may be those of several members by now. */
const breaksOff = ({ heading, served, failed }: Upgrade, wish: Side): boolean =>
  heading === "from" && wish === "to" && served && !failed;

const afterConfirmation: Decide = (upgrade, { confirmed, isFormerGone }, wish) => {
  const { heading, disregarded } = upgrade;
  // while all members still run
  if (wish !== heading && isFormerGone) return stalled("former files are gone");
  if (wish !== heading) return go(upgrade, { phase: "Stopping", heading: "from" });
  if (disregarded !== undefined && confirmed !== disregarded) return go(upgrade, { disregarded: undefined });
  return confirmed === upgrade[heading] && disregarded === undefined ? go(upgrade, { phase: "Removing" }) : wait;
};

/** Without a confirmation only files go with which no member has run. */
const withoutTarget = (upgrade: Upgrade): UpgradeStep =>
  upgrade.served ? go(upgrade, { phase: "AwaitingConfirmation", failed: false }) : go(upgrade, { phase: "Removing" });

const deciders: Record<UpgradePhase, Decide> = {
  Rehearsing: afterRehearsal,
  BackingUp: afterBackup,
  Gathering: afterGathering,
  Stopping: afterStopping,
  Converting: afterConverting,
  Starting: afterStarting,
  AwaitingConfirmation: afterConfirmation,
  Removing: (_, { areOthersGone }) => (areOthersGone ? end : wait),
  GaveUp: (upgrade, _, wish) => (wish === "from" ? withoutTarget(upgrade) : stalled("conversion failed")),
};

/** The next state, with the times that begin or end with it. */
export function stamped(before: Upgrade, next: Upgrade, now: Date): Upgrade {
  const { stoppedAt } = next;
  if (next.phase === "Stopping") return { ...next, stoppedAt: stoppedAt ?? now.toISOString(), startingAt: undefined };
  if (next.phase === "Starting") return { ...next, startingAt: now.toISOString() };
  if (before.phase !== "Starting") return next;
  const downtime = stoppedAt === undefined ? undefined : now.getTime() - Date.parse(stoppedAt);
  const served = { ...next, stoppedAt: undefined, startingAt: undefined };
  return downtime === undefined ? served : { ...served, downtimeSeconds: Math.round(downtime / 1000) };
}

/** Whether no member is to serve now, as the files are being exchanged. */
export const isDown = (upgrade: Upgrade | undefined): upgrade is Upgrade =>
  upgrade !== undefined && membersIn[upgrade.phase] === "none";

/** Whether none serves, or the first one may not serve yet: no backup can be taken, nor does any other Job find a server. */
export const isStopped = (upgrade: Upgrade | undefined): upgrade is Upgrade =>
  upgrade !== undefined && (membersIn[upgrade.phase] === "none" || upgrade.phase === "Starting");

/** Whether it waits for nothing but a person. */
export const isAtRest = ({ phase }: Upgrade): boolean => phase === "AwaitingConfirmation" || phase === "GaveUp";

/** Whether a version is one of the two that an upgrade in progress is between. */
export const isBetween = (upgrade: Upgrade | undefined, version: string): boolean =>
  upgrade !== undefined && (upgrade.from === version || upgrade.to === version);
