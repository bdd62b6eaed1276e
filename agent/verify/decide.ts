// What every restore drill decides: what its end means for the backup, and what is said of it. Pure.
import {
  type DrillFinding,
  type DrillQuery,
  type DrillVerdict,
  type QueryAnswer,
  type VerificationReport,
} from "../../contract/verification-report";
import { mebibytes } from "../restore/decide";
import { sqlStateOf } from "./sql-state";

/** Why a drill did not pass, as an error: what it was doing is over. */
export class DrillEnd extends Error {
  constructor(
    readonly finding: DrillFinding,
    message: string,
  ) {
    super(message);
  }
}

/** What was learned on the way, whatever the end. */
export interface Progress {
  /** What it does at the moment; completes "the time ran out while …". */
  stage: string;
  label: string | undefined;
  recoverySeconds: number | undefined;
  answers: readonly Answered[];
  /** What could not be looked at, or is to be known beside, as sentences. */
  omitted: readonly string[];
}

/** A query, and how it ended. */
export interface Answered {
  readonly name: string;
  readonly answer: QueryAnswer;
  /** What of that may be told: nothing that is in the data. Missing where it is as expected. */
  readonly why?: string;
}

/** What each finding says of the backup. */
const verdictsByFinding: Readonly<Record<DrillFinding, DrillVerdict>> = {
  BackupDamaged: "Failed",
  ArchiveDamaged: "Failed",
  RestoreNotStarted: "Failed",
  DataDamaged: "Failed",
  QueryFailed: "Failed",
  NoBackup: "NotTried",
  VersionMismatch: "NotTried",
  NoRoom: "NotTried",
  OutOfTime: "NotTried",
  Interrupted: "NotTried",
};

/** With less of it free, what failed failed for want of room: a log of changes has no place. */
export const fullBytes = 16 * 1024 ** 2;

/** What is about to be copied, onto what, in bytes. */
export interface Filling {
  readonly bytes: number;
  readonly free: number;
  readonly total: number;
  /** Of the claim; undefined where it is not known. */
  readonly asked: number | undefined;
}

/** A file system that is so much larger than the claim is not the volume's own: volumes that are directories of a node share it. */
const sharedFrom = 1.5;
/** Nodes evict pods, or members run out of room, where less of it is free. */
const shareLeftFree = 0.2;

/** Why a copy would take the room of others; undefined where it would not. */
export function crowdingOf({ bytes, free, total, asked }: Filling): string | undefined {
  if (asked === undefined || total < sharedFrom * asked || free - bytes >= shareLeftFree * total) return undefined;
  const percent = Math.floor((100 * Math.max(0, free - bytes)) / total);
  return `the volume is on a file system that others use as well, and a copy would leave ${percent} % of it free: it must leave 20 %`;
}

/** What programs say where there was no room. */
export const saysFull = (text: string): boolean => /No space left on device|Disk quota exceeded/.test(text);

/** Complaints that are about the copy, or about this machine, and not about the backup. */
const notOfTheBackup =
  /^cp failed: .*error (writing|copying to)|Cannot allocate memory|out of memory|Stale file handle/;

/** How a program failed that copies, or compares. */
export interface ProgramEnd {
  readonly command: string;
  readonly code: number | null;
  readonly message: string;
}

/** What it means where that says nothing of what the program read; else undefined. `code`: null where it was killed. */
export function machineFindingOf({ code, message }: Omit<ProgramEnd, "command">): DrillFinding | undefined {
  if (saysFull(message)) return "NoRoom";
  return code === null || notOfTheBackup.test(message) ? "Interrupted" : undefined;
}

/** What it means that a program failed: `cp` alone reads the backup. */
export const copyFindingOf = (end: ProgramEnd): DrillFinding =>
  machineFindingOf(end) ?? (end.command === "cp" ? "BackupDamaged" : "Interrupted");

/** What is known of a backup that was chosen. */
export interface Looked {
  readonly label: string;
  /** Names of what is on the backup volume. */
  readonly labels: readonly string[];
  /** What its files do not fit: `damage` where they do not say what they are. Undefined where the server can have them. */
  readonly misfit: "damage" | "version" | undefined;
}

/** Why a backup that was found cannot be restored here. It goes by the same as `problemOf` of restores, which says it in words. */
export function findingOf({ labels, label, misfit }: Looked): DrillFinding {
  if (!labels.includes(label)) return "NoBackup";
  if (misfit === "damage") return "BackupDamaged";
  return misfit === undefined ? "NoRoom" : "VersionMismatch";
}

/** Findings that the want of room may be behind. */
const ofAFullVolume: readonly DrillFinding[] = ["DataDamaged", "ArchiveDamaged", "Interrupted"];

/**
 * The end of a step that failed: for want of room that says nothing of the backup. `wanted`: with less of it free a server refuses to take data in;
 * what it has is no worse for that.
 */
export function endOf(error: unknown, otherwise: DrillFinding, free: number, wanted = fullBytes): DrillEnd {
  if (error instanceof DrillEnd && (free >= fullBytes || !ofAFullVolume.includes(error.finding))) return error;
  const message = toldOf(error);
  const least = otherwise === "RestoreNotStarted" ? wanted : fullBytes;
  return free < least
    ? new DrillEnd("NoRoom", `the volume of the drill has ${mebibytes(free)} left: write a larger storage (${message})`)
    : new DrillEnd(otherwise, message);
}

/** What may be said of an error: the server's text could show what is in the data. */
function toldOf(error: unknown): string {
  const state = sqlStateOf(error);
  if (state !== undefined) return `the server refused with SQLSTATE ${state}; the log of the drill has the error`;
  return error instanceof Error ? error.message : String(error);
}

/** The end by an error that is about the server, or the way to it. `doing`: completes "the server gave up while …". */
export function serverEnd(error: unknown, doing: string, isFull: boolean): DrillEnd {
  return isFull
    ? new DrillEnd("NoRoom", `the volume of the drill was full while ${doing}: write a larger storage`)
    : new DrillEnd("Interrupted", `the server gave up while ${doing} (${sqlStateOf(error) ?? "the connection broke"})`);
}

/** What could not be checked in full, as a sentence. */
export const omissionOf = (unchecked: readonly string[]): string =>
  `not checked in full, for what is no damage, ${unchecked.length === 1 ? "is" : `are ${unchecked.length}, the first`} ` +
  `${unchecked[0] ?? ""}: the log of the drill says why`;

/** The verdict over all queries; undefined where each is as expected. */
export function endOfQueries(answered: readonly Answered[]): DrillEnd | undefined {
  const wrong = answered.flatMap(({ name, why }) => (why === undefined ? [] : [`query ${name} ${why}`]));
  return wrong.length === 0 ? undefined : new DrillEnd("QueryFailed", wrong.join("; "));
}

/** How the first column of the first row compares. `row`: undefined where there was none. */
export function answerOf({ name, expect }: DrillQuery, row: readonly (string | null)[] | undefined): Answered {
  if (row === undefined) return { name, answer: "Unexpected", why: "returned no row" };
  if (expect === undefined || row[0] === expect) return { name, answer: "AsExpected" };
  return { name, answer: "Unexpected", why: "did not return what it is to" };
}

/** Room is left for what the operator adds. */
const longestMessage = 700;

const shortened = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage - 1)}…` : line;
};

/** When, and for how long. */
export interface Times {
  readonly startedAt: Date;
  readonly now: Date;
}

/** What is said at the end. `end`: undefined where it passed. */
export function reportOf(progress: Progress, end: DrillEnd | undefined, { startedAt, now }: Times): VerificationReport {
  const { label, recoverySeconds, answers } = progress;
  const asked = answers.length === 0 ? "" : `, and all queries hold (${answers.length})`;
  const passed = [`restored and read in full${asked}`, ...progress.omitted].join("; ");
  return {
    verdict: end === undefined ? "Passed" : verdictsByFinding[end.finding],
    ...(end !== undefined && { finding: end.finding }),
    ...(label !== undefined && { verified: label }),
    startedAt: startedAt.toISOString().replace(/\.\d+Z$/, "Z"),
    message: shortened(end === undefined ? passed : end.message),
    ...(recoverySeconds !== undefined && { recoverySeconds }),
    seconds: Math.round((now.getTime() - startedAt.getTime()) / 1000),
    ...(answers.length > 0 && { queries: answers.map(({ name, answer }) => ({ name, answer })) }),
  };
}
