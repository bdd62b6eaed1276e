// What PostgreSQL's programs, and errors of its server, say of a backup. Pure.
import type { DrillFinding } from "../../../contract/verification-report";
import {
  machineFindingOf,
  saysFull,
  serverEnd as endOfServer,
  type DrillEnd,
  type ProgramEnd,
} from "../../verify/decide";
import { sqlStateOf } from "../../verify/sql-state";
import { complaintIn } from "../backup/complaint";
import { saysDamage } from "../restore/damage";
import { ArrivedLate } from "../restore/hole";
import { NotJudged, NotReached } from "../restore/recovered";
import { isConsistent } from "../restore/recovery";

const copyCannotBeRead = /Input\/output error/;

/** What it means that `pg_verifybackup` failed. */
export const comparisonFindingOf = (end: ProgramEnd): DrillFinding =>
  machineFindingOf(end) ?? (copyCannotBeRead.test(end.message) ? "Interrupted" : "BackupDamaged");

/** What files of this major version do not fit; undefined where the server can have them. `major`: undefined where they do not say. */
export const misfitOf = (major: string | undefined, serverMajor: string): "damage" | "version" | undefined =>
  major === undefined ? "damage" : major === serverMajor ? undefined : "version";

/** What it means that pgBackRest could not copy a backup. */
export function storedFindingOf(said: string): DrillFinding {
  if (saysFull(said)) return "NoRoom";
  return saysDamage(said) ? "BackupDamaged" : "Interrupted";
}

/** What a server says, or how it ended, that was killed or had no memory. */
const killed =
  /terminated by signal 9\b|ended with SIG(KILL|TERM)\b|Cannot allocate memory|cannot allocate memory|out of memory/;

/** What a server ends with where WAL could not be fetched that may be there. */
const notFetched = /could not restore file "[^"]+" from archive: /;

/** What it means that the server did not start. `said`: its words, those of what it runs, and how it ended. */
export function startFindingOf(said: string): DrillFinding {
  if (saysFull(said)) return "NoRoom";
  if (killed.test(said)) return "Interrupted";
  if (!notFetched.test(said)) return "RestoreNotStarted";
  return storedFindingOf(complaintIn(said)) === "BackupDamaged" ? "ArchiveDamaged" : "Interrupted";
}

/** What it means that what was copied was not recovered. `server`: undefined where there was none yet. */
export function recoveryFindingOf(
  error: unknown,
  server: { readonly said: string; readonly end: string | undefined } | undefined,
): DrillFinding {
  const { said = "", end = "" } = server ?? {};
  // WAL without which the copy is not whole is a part of the backup
  if (error instanceof NotReached) return isConsistent(said) ? "ArchiveDamaged" : "BackupDamaged";
  const isUnknown = server === undefined || error instanceof NotJudged || error instanceof ArrivedLate;
  return isUnknown ? "Interrupted" : startFindingOf(`${said}\n${end}`);
}

const libraries = /could not (load library|access file|find function)/;
const ownFiles = /could not (open file "(base|global|pg_)|access status of transaction)/;

/** Whether an error of the server is about damaged data, such as index_corrupted and data_corrupted. */
export function damages(error: unknown): boolean {
  const state = sqlStateOf(error) ?? "";
  const text = error instanceof Error ? error.message : "";
  // a library that cannot be loaded is an internal error as well, and a file of the data that is not there a system error
  return state.startsWith("XX") ? !libraries.test(text) : state === "58P01" && ownFiles.test(text);
}

const noRoom = "53100";

/** Whether an error is about the server, or the way to it, and not about what was asked: it says nothing of the backup. */
export const isOfTheServer = (error: unknown): boolean => /^(53|57|58|08|$)/.test(sqlStateOf(error) ?? "");

/** The end by such an error. `doing`: completes "the server gave up while …". */
export const serverEnd = (error: unknown, doing: string): DrillEnd =>
  endOfServer(error, doing, sqlStateOf(error) === noRoom);
