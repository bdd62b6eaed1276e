// That a step of a major upgrade takes longer than expected, or that its Job does not begin. Nothing is ended for it, as a copy may take long: people are told. Pure.
import { memberName, upgradeJobName } from "../../components/naming";
import type { UpgradeJobSeen } from "../domain/ports";
import type { Upgrade, UpgradePhase } from "../domain/upgrade";

const minutes = (count: number): number => count * 60_000;

/** As long as a restore drill may take, as it copies a backup, too. */
const longestRehearsalMs = minutes(360);
const longestStopMs = minutes(10);
/** Of a conversion, whatever the rehearsal took; and how many times as long as the rehearsal. */
const leastConversionMs = minutes(10);
const timesAnnounced = 5;
/** Until a member leads, and has the roles and the database. */
const longestStartMs = minutes(10);

interface Begun {
  readonly since: string | undefined;
  readonly longestMs: number;
  readonly advice: string;
}

interface Named {
  readonly name: string;
  readonly job: UpgradeJobSeen | undefined;
}

type BegunOf = (upgrade: Upgrade, at: Named) => Begun;

const begunOf: Partial<Record<UpgradePhase, BegunOf>> = {
  Rehearsing: ({ from }, { job, name }) => ({
    since: job?.startedAt,
    longestMs: longestRehearsalMs,
    advice: `the log of Job ${upgradeJobName(name)} says where it is; delete the Job to have it begin again, or write version: "${from}"`,
  }),
  Stopping: ({ stoppedAt }) => ({
    since: stoppedAt,
    longestMs: longestStopMs,
    advice: "the pod of a member, or of a Job with its volume, does not end: kubectl describe says why",
  }),
  Converting: ({ from, heading, announcedSeconds = 0 }, { job, name }) => ({
    since: job?.startedAt,
    longestMs: Math.max(leastConversionMs, timesAnnounced * announcedSeconds * 1_000),
    advice: `the log of Job ${upgradeJobName(name)} says where it is; delete the Job to have it begin again${heading === "to" ? `, or write version: "${from}", which takes it back` : ""}`,
  }),
  Starting: (upgrade, { name }) => ({
    since: upgrade.startingAt,
    longestMs: longestStartMs,
    advice: `no member leads, or the roles and the database are not made: kubectl describe, and the log of ${memberName(name, 0)}, say why${otherWay(upgrade)}`,
  }),
};

/** What else can be had while members do not start. */
function otherWay({ from, to, heading, served, failed }: Upgrade): string {
  if (heading === "to") return `; version: "${from}" takes it back`;
  return served && !failed ? `; while none leads, version: "${to}" breaks the way back off` : "";
}

/** What is said of it, with the `; ` that is due in front; empty where it is in time. It changes with the step alone, not with the time. */
export function lateText(
  upgrade: Upgrade,
  { name, job, now }: { readonly name: string; readonly job: UpgradeJobSeen | undefined; readonly now: Date },
): string {
  if (job?.waits !== undefined)
    return `; the pod of Job ${upgradeJobName(name)} does not begin: ${job.waits}: kubectl describe says why`;
  const begun = begunOf[upgrade.phase]?.(upgrade, { name, job });
  if (begun?.since === undefined || now.getTime() - Date.parse(begun.since) <= begun.longestMs) return "";
  return `; it has not ended since ${begun.since}, which is longer than expected, and is not ended for that: ${begun.advice}`;
}
