// What is said of the archive: pure.
import type { ArchiveNote } from "../../../contract/archive-note";
import { secondAfter } from "../../backups";
import { earliestOf, type Base, type Session } from "./decide";

/** How long something may fail before that is told, in milliseconds: a member that is restarted is back by then. */
const patienceMs = 30_000;

/** What is known. */
export interface Standing {
  readonly sessions: readonly Session[];
  /** From old to new. */
  readonly bases: readonly Base[];
  /** What is missing behind the newest backup: what it is called, and since when that is known. */
  readonly gap?: ArchiveNote["gap"] | undefined;
  /** What came from outside of the group since then, as it is called. Missing: nothing did. */
  readonly foreign?: string | undefined;
  /** What fails, and for how long, in milliseconds. Missing: nothing does. */
  readonly trouble?: { readonly why: string; readonly ms: number } | undefined;
}

/** From when on a restore is possible, to the second; undefined where logs lead on from no backup. */
export function recoverableFrom(bases: readonly Base[], sessions: readonly Session[]): string | undefined {
  if (sessions.length === 0) return undefined;
  const earliest = earliestOf(bases, sessions)?.copiedAt;
  return earliest && secondAfter(earliest);
}

/** The note. A hole behind the newest backup counts: from the next one on there is none. */
export function noteOf({ sessions, bases, gap, foreign, trouble }: Standing): ArchiveNote {
  const from = recoverableFrom(bases, sessions);
  const known = {
    ...(gap !== undefined && { gap }),
    ...(from !== undefined && { recoverableFrom: from }),
  };
  const isTrouble = trouble !== undefined && trouble.ms >= patienceMs;
  const message = isTrouble ? trouble.why : foreign && foreignText(foreign);
  return message === undefined ? { state: "Arriving", ...known } : { state: "Waiting", message, ...known };
}

const foreignText = (foreign: string): string =>
  `${foreign} came from outside of the group, as through a channel from another server: no restore gets past that before the next backup`;
