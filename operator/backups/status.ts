// The whole status of a DatabaseBackup from what is known now: pure. What was known at its end stays when Job and pods have gone.
import { backupClaimName, backupJobAnnotation } from "../../components/naming";
import type { FoundBackup } from "./found";
import type { DatabaseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";
import type { Reason } from "../api/reasons";
import { triggerOf, type BackupRun } from "../domain/backups";
import { volumeLocationOf } from "../domain/restore";
import { conditionOf } from "../reconcile/conditions";
import { known } from "./known";
import type { Wait } from "./wait";

/** How a backup fares. */
export type Standing =
  /** It has not begun. */
  | { readonly kind: "waiting"; readonly wait: Wait }
  | { readonly kind: "run"; readonly run: BackupRun }
  /** Its record was lost, and it was found where it lies. */
  | { readonly kind: "found"; readonly found: FoundBackup }
  /** It has begun, and its Job is not there any more. */
  | { readonly kind: "gone" };

/** What a status is made from, beside the one before. */
export interface StatusInputs {
  readonly backup: Pick<DatabaseBackup, "metadata" | "spec">;
  readonly standing: Standing;
  readonly now: Date;
  /** The label of what is damaged where it lies, itself or what it needs; missing where nothing is, or not any more told. */
  readonly damaged?: string | undefined;
}

/** Whether it has ended, well or not. */
export const isFinal = ({ phase }: BackupStatus): boolean => phase === "Succeeded" || phase === "Failed";

/** How long the report of a Job that has succeeded is waited for, in milliseconds: Jobs and pods have a watch each. */
const patienceMs = 5000;

/** For how many more milliseconds the report of a Job may come. */
export function patienceLeft({ state, report, isSilent, finishedAt }: BackupRun, now: Date): number {
  if (state !== "succeeded" || report !== undefined || isSilent || finishedAt === undefined) return 0;
  return Math.max(0, Date.parse(finishedAt) + patienceMs - now.getTime());
}

/** See the header. */
export function backupStatusFor(inputs: StatusInputs, previous: BackupStatus): BackupStatus {
  const { backup, standing, now, damaged } = inputs;
  const found = isKnown(previous, standing)
    ? { facts: previous, verdict: asBefore(backup, previous) }
    : foundOf(backup, standing, { previous, now });
  const { facts, verdict } = damaged === undefined ? found : spoiled(found.facts, damaged);
  const context = { previous: previous.conditions ?? [], generation: backup.metadata.generation, now };
  const { isStalled, ...ready } = verdict;
  const stalled = isStalled
    ? ({ ...ready, status: "True" } as const)
    : ({ status: "False", reason: "NotStalled", message: "nothing needs attention" } as const);
  return {
    ...facts,
    observedGeneration: context.generation,
    message: ready.message,
    conditions: [conditionOf("Ready", ready, context), conditionOf("Stalled", stalled, context)],
  };
}

/** What the conditions say: Ready, and whether a person must act. */
interface Verdict {
  readonly status: "True" | "False";
  readonly reason: Reason;
  readonly message: string;
  readonly isStalled: boolean;
}

interface Found {
  readonly facts: BackupStatus;
  readonly verdict: Verdict;
}

/** Whether nothing more can be learned: it has ended, and what its program said of it is known, or cannot be any more. */
function isKnown(previous: BackupStatus, standing: Standing): boolean {
  if (!isFinal(previous)) return false;
  const isNamed = previous.phase === "Failed" || previous.label !== undefined;
  return isNamed || standing.kind !== "run" || standing.run.report === undefined;
}

function asBefore({ spec }: Pick<DatabaseBackup, "spec">, previous: BackupStatus): Verdict {
  const { phase, message = "" } = previous;
  if (phase === "Succeeded") return succeeded(previous, spec.keep);
  const reason = message.includes(vanished)
    ? "BackupVanished"
    : message.includes(spoilt)
      ? "BackupDamaged"
      : "BackupFailed";
  return { status: "False", reason, message, isStalled: true };
}

const vanished = "was gone before it had ended";

const spoilt = "is damaged where it lies, as a later backup found";

/** It was whole once: what is known of it stays. */
function spoiled(facts: BackupStatus, damaged: string): Found {
  const what = facts.label === damaged ? "it" : `${damaged}, which it needs,`;
  const message = `${what} ${spoilt}, which was taken complete: restore another one, and look into the storage`;
  return {
    facts: { ...facts, phase: "Failed" },
    verdict: { status: "False", reason: "BackupDamaged", message, isStalled: true },
  };
}

function foundOf(
  backup: Pick<DatabaseBackup, "metadata" | "spec">,
  standing: Standing,
  { previous, now }: { readonly previous: BackupStatus; readonly now: Date },
): Found {
  switch (standing.kind) {
    case "waiting": {
      const { reason, message, isStalled } = standing.wait;
      return {
        facts: { phase: "Pending", trigger: "Manual" },
        verdict: { status: "False", reason, message, isStalled },
      };
    }
    case "run":
      return ofRun(backup, standing.run, now);
    case "found":
      return ofFound(backup, standing.found);
    case "gone": {
      const { job, trigger = madeBy(backup), engine } = previous;
      const message = `${job === undefined ? "its Job" : `Job ${job}`} ${vanished}: it was deleted, or its CronJob was`;
      const facts = { phase: "Failed", ...(trigger && { trigger }), ...(engine && { engine }), ...(job && { job }) };
      return {
        facts: { ...facts, phase: "Failed" },
        verdict: { status: "False", reason: "BackupVanished", message, isStalled: true },
      };
    }
  }
}

function ofFound({ spec }: Pick<DatabaseBackup, "spec">, found: FoundBackup): Found {
  const size = found.size === undefined ? {} : { sizeText: sizeTextOf(found.size) };
  return { facts: { phase: "Succeeded", ...found, ...size }, verdict: succeeded(found, spec.keep) };
}

/** Of one that the operator made its Job would have to say. */
const madeBy = ({ metadata }: Pick<DatabaseBackup, "metadata">): "Manual" | undefined =>
  metadata.annotations[backupJobAnnotation] === undefined ? "Manual" : undefined;

function ofRun({ spec }: Pick<DatabaseBackup, "spec">, run: BackupRun, now: Date): Found {
  const { name: job, engine, state, finishedAt, trouble } = run;
  const known: BackupStatus = { trigger: triggerOf(run), ...(engine !== "" && { engine }), job };
  const why = trouble === undefined ? "" : `: ${trouble}`;
  if (state === "running" || patienceLeft(run, now) > 0) {
    const message =
      state === "running" ? `Job ${job} takes it${why}` : `Job ${job} has taken it; its name is being read`;
    return {
      facts: { phase: "Running", ...known },
      verdict: { status: "False", reason: "BackupRunning", message, isStalled: false },
    };
  }
  const ended = { ...known, ...(finishedAt !== undefined && { completedAt: finishedAt }) };
  if (state === "failed") {
    const message = `Job ${job} failed${why === "" ? "; its log says why" : why}`;
    return {
      facts: { phase: "Failed", ...ended },
      verdict: { status: "False", reason: "BackupFailed", message, isStalled: true },
    };
  }
  const reported = reportedOf(run);
  return {
    facts: { phase: "Succeeded", ...ended, location: volumeLocationOf(backupClaimName(spec.database)), ...reported },
    verdict: succeeded(reported, spec.keep),
  };
}

function succeeded({ label, consistency }: Pick<BackupStatus, "label" | "consistency">, keep: boolean): Verdict {
  const until = keep ? "kept beyond the retention of its Database" : "kept until retention removes it";
  const whole = label === undefined ? nameless : `complete and verified; ${until}`;
  const message =
    consistency === "Torn"
      ? `${whole}; not of one moment: what was written while it was taken may be in it in part`
      : whole;
  return { status: "True", reason: "BackupSucceeded", message, isStalled: false };
}

const nameless =
  "complete and verified; which one it is was not read before its pod had gone: see the list in the log of a later one";

/** What the program said, and what follows from that. */
function reportedOf({ report, finishedAt }: BackupRun): BackupStatus {
  if (report === undefined) return {};
  const { backup: label, startedAt, bytes, storedBytes } = report;
  const { member, cluster, version, base, recoverableFrom, location, consistency } = report;
  const seconds = (Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")) / 1000;
  return {
    label,
    ...known({ startedAt, member, cluster, version, base, recoverableFrom, location }),
    ...(consistency !== undefined && { consistency }),
    // the clocks of two machines may differ
    ...(!Number.isNaN(seconds) && { durationSeconds: Math.max(0, Math.round(seconds)) }),
    ...(bytes !== undefined && { size: bytes, sizeText: sizeTextOf(bytes) }),
    ...(storedBytes !== undefined && { storedSize: storedBytes }),
  };
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** For example `1.4 GiB`. */
export function sizeTextOf(bytes: number): string {
  const power = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? ""}`;
}
