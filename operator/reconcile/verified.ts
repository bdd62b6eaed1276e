// What is said of restore drills: pure.
import type { DrillFinding } from "../../contract/verification-report";
import type { DatabaseSpec } from "../api/spec";
import type { Condition, DatabaseStatus } from "../api/status";
import { hasDrills } from "../api/verification";
import { recordNameOf } from "../domain/backups";
import { drillComponent, drillsIn, type Drill } from "../domain/drills";
import type { JobRun } from "../domain/members";
import { shortened } from "../domain/shortened";
import type { Said, Verdict } from "./conditions";

/** Undefined where there are none. `before` is the condition as it was: what was said last stays when its Job has gone. */
export function verification(
  spec: DatabaseSpec,
  jobs: readonly JobRun[],
  before: Condition | undefined,
): Said | undefined {
  if (!hasDrills(spec)) return undefined;
  const last = jobs
    .filter((job) => job.component === drillComponent && hasEnded(job))
    .sort((one, other) => endOf(other) - endOf(one))[0];
  if (last === undefined) return before === undefined ? notYet : saidIn(before);
  const [drill] = drillsIn([last]);
  const said = drill === undefined ? untried(last) : verdictOf(drill);
  // a drill that was not tried does not make a backup any better
  return said.status === "Unknown" && before?.status === "False" ? stillFalse(before, said) : said;
}

/** What is said where there are none, as each would do harm. */
export const unverifiable = (why: string, before: Condition | undefined): Said =>
  before?.status === "False" ? saidIn(before) : { status: "Unknown", reason: "VerificationNotPossible", message: why };

const sinceThen = "; the latest drill could not tell: ";
const longestCause = 500;

/** The cause stays, and it is told why nothing newer is known. */
function stillFalse(before: Condition, { message: why }: Verdict): Said {
  const [cause = ""] = before.message.split(sinceThen);
  return { ...saidIn(before), message: shortened(`${shortened(cause, longestCause)}${sinceThen}${why}`, longest) };
}

const notYet: Verdict = {
  status: "Unknown",
  reason: "NotYetVerified",
  message: "no drill has restored a backup yet: the schedule says when one does",
};

const saidIn = ({ status, reason, message }: Condition): Said => ({ status, reason, message });

const endOf = ({ finishedAt }: JobRun): number => Date.parse(finishedAt ?? "") || 0;

/** One that succeeded has said something, which may be on its way: Jobs and pods have a watch each. */
const hasEnded = ({ state, verification: said }: JobRun): boolean =>
  state === "failed" || (state === "succeeded" && said !== undefined);

const longest = 900;

/** As a shell and an init process have it, where there is no such program. */
const noProgram = /\bexit code 127\b/;
/** As the agents of earlier images have it that start others of their programs, and as any that fails before it can say why. */
const failedAtOnce = /\bexit code 1\b/;

const anotherImage = "have the images of this version built, and upgrade to one of them";

function troubleOf(trouble = "it said nothing before its pod had gone"): string {
  if (noProgram.test(trouble)) return `the image has no program for drills: ${anotherImage}`;
  return failedAtOnce.test(trouble)
    ? `${trouble}; where its log says that there is no such program the image has none for drills: ${anotherImage}`
    : trouble;
}

function untried({ name, finishedAt, trouble }: JobRun): Verdict {
  const why = troubleOf(trouble);
  const message = shortened(`Job ${name} ended at ${finishedAt ?? ""} and could not tell: ${why}`, longest);
  return { status: "Unknown", reason: "VerificationNotPossible", message };
}

function verdictOf({ job, finishedAt, report }: Drill): Verdict {
  const { verdict, finding, verified = "no backup", message: said, recoverySeconds } = report;
  const where = `Job ${job}, which ended at ${finishedAt}`;
  if (verdict === "Passed") {
    const within = recoverySeconds === undefined ? "" : ` within ${recoverySeconds} s`;
    const message = shortened(`${verified} can be restored${within}: ${said} (${where})`, longest);
    return { status: "True", reason: "BackupRestored", message };
  }
  const message = shortened(`${verified}: ${said} (${where})`, longest);
  return verdict === "Failed" && isOfBackup(finding)
    ? { status: "False", reason: finding, message }
    : { status: "Unknown", reason: "VerificationNotPossible", message };
}

const ofBackup = ["BackupDamaged", "ArchiveDamaged", "RestoreNotStarted", "DataDamaged", "QueryFailed"] as const;
const isOfBackup = (finding: DrillFinding | undefined): finding is (typeof ofBackup)[number] =>
  ofBackup.some((one) => one === finding);

type LastVerified = DatabaseStatus["lastVerifiedBackup"];

/** The last one that passed; it stays known when its Job has gone. */
export function lastVerified(jobs: readonly JobRun[], previous: DatabaseStatus): LastVerified {
  const known = previous.lastVerifiedBackup;
  const drill = drillsIn(jobs).find(({ report }) => report.verdict === "Passed");
  if (drill?.report.verified === undefined || drill.report.recoverySeconds === undefined) return known;
  if (known !== undefined && Date.parse(known.at) >= Date.parse(drill.finishedAt)) return known;
  const label = drill.report.verified;
  const name = nameOf(label, jobs, previous);
  return {
    ...(name !== undefined && { name }),
    ...{ label, at: drill.finishedAt, recoverySeconds: drill.report.recoverySeconds },
  };
}

/** Of the DatabaseBackup, where it is known: mostly it is that of the last backup. */
function nameOf(label: string, jobs: readonly JobRun[], { lastBackup }: DatabaseStatus): string | undefined {
  if (lastBackup?.label === label) return lastBackup.name;
  const job = jobs.find(({ backup }) => backup === label);
  return job && recordNameOf(job);
}
