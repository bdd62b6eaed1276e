// What MySQL's server, and what is found on the volume, say of a backup in a drill. Pure.
import type { DrillFinding } from "../../../contract/verification-report";
import { DrillEnd, serverEnd as endOfServer, type Looked } from "../../verify/decide";
import { sqlStateOf } from "../../verify/sql-state";
import { ServerEnded } from "../../supervise/while-it-runs";
import { DamagedNote } from "../../json-file";
import { versionProblem, type Contents } from "../copies/fit";
import { ReplayProblem } from "../restore/replay-problem";

/** What the files of a backup do not fit; undefined where the server can have them. An earlier image's dump is no damage. */
export function misfitOf({ manifest, isDump }: Contents, serverVersion: string): Looked["misfit"] {
  if (manifest === undefined) return isDump ? "version" : "damage";
  return versionProblem("", manifest.server, serverVersion) === undefined ? undefined : "version";
}

/** What is left out where no binary log behind a backup counts, as a sentence; undefined where one does. */
export function nothingIn(error: unknown): string | undefined {
  if (!(error instanceof ReplayProblem)) return undefined;
  if (error.kind === "none") return noLogsYet;
  return error.kind === "given up"
    ? "the binary logs behind it were given up, as its Database continued as another group"
    : undefined;
}

/** Said where none are there. */
export const noLogsYet = "no binary logs are there yet";

/** What it means that the binary logs could not be replayed. */
export function replayFindingOf(error: unknown): DrillFinding {
  if (nothingIn(error) !== undefined) return "Interrupted";
  if (error instanceof ReplayProblem) return error.kind === "version" ? "VersionMismatch" : "ArchiveDamaged";
  return error instanceof DamagedNote ? "ArchiveDamaged" : endFindingOf(error, "RestoreNotStarted");
}

/** The end by a change that was not taken in for want of room, memory or time; undefined where it is the change that is at fault. */
export function replayEnd({ errno = 0 }: ReplayProblem): DrillEnd | undefined {
  const doing = "while the binary logs were replayed";
  if (full.includes(errno))
    return new DrillEnd("NoRoom", `there was no room ${doing} (error ${errno}): write a larger storage`);
  return ofTheServer.includes(errno)
    ? new DrillEnd("Interrupted", `the server gave up ${doing} (error ${errno})`)
    : undefined;
}

/** What it means that the server ended: what was killed says nothing. `otherwise`: what it means where it ended by itself. */
export function endFindingOf(error: unknown, otherwise: DrillFinding): DrillFinding {
  if (!(error instanceof ServerEnded)) return "Interrupted";
  return error.signal === "SIGKILL" || error.signal === "SIGTERM" ? "Interrupted" : otherwise;
}

/** A row of what CHECK TABLE answers. */
export interface Told {
  readonly type: string;
  readonly text: string;
}

const whole = /^(OK|Table is already up to date)$/;
const damage =
  /corrupt|crashed|contains \d+ entries|is missing|doesn't exist in engine|checksum|incorrect information/i;

/** What these rows say of the table. What is neither is no damage: an engine that cannot check, or no memory for it. */
export function tableIs(rows: readonly Told[]): "whole" | "damaged" | "unchecked" {
  if (rows.some(({ type, text }) => type !== "note" && damage.test(text))) return "damaged";
  const isWhole = rows.some(({ type, text }) => type === "status" && whole.test(text));
  return isWhole && !rows.some(({ type }) => type === "error") ? "whole" : "unchecked";
}

/** Disk full, and files that cannot be written, temporary ones among them. */
const full: readonly number[] = [1021, 1026, 1114, 1878];
/** Beside them: no memory, a shutdown, a time limit. */
const ofTheServer: readonly number[] = [...full, 1037, 1038, 1041, 1053, 1317, 3024];

const numberOf = (error: unknown): number | undefined =>
  error instanceof Error && "errno" in error && typeof error.errno === "number" ? error.errno : undefined;

/** Whether an error is about the server, or the way to it, and not about what was asked: it says nothing of the backup. */
export function isOfTheServer(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || state.startsWith("08") || ofTheServer.includes(numberOf(error) ?? 0);
}

/** The end by such an error. `doing`: completes "the server gave up while …". */
export const serverEnd = (error: unknown, doing: string): DrillEnd =>
  endOfServer(error, doing, full.includes(numberOf(error) ?? 0));

/** Whether a text is a query, and no statement of another kind. */
export const isQuery = (text: string): boolean => /^[\s(]*(SELECT|VALUES|WITH)\b/i.test(text);
