// Whether WAL that a server asked for in vain is missing in the storage, or was only late.
import { setTimeout as delay } from "node:timers/promises";
import { hasSegment, isBehind, isHole } from "../backup/continuity";

/** Segments may arrive out of their order, within seconds. */
const arrivalMs = 30_000;

/** WAL was not there when it was asked for, and is now. */
export class ArrivedLate extends Error {}

/** How a server asked. */
export interface Asked {
  /** The last segment that was not there; undefined where each was. */
  readonly missing: string | undefined;
  /** What `repo-ls` said of the archive before it began, where that alone counts: WAL that came later may have any order. Undefined where all counts. */
  readonly bound: string | undefined;
  /** Whether it ended before what was there then. */
  readonly isShort: boolean;
}

/** The segment, where it is still missing after a while, and later ones are there. `archived`: what `repo-ls` says now. Throws where it was late. */
export async function holeAt(
  { missing, bound, isShort }: Asked,
  archived: () => Promise<string>,
  patienceMs = arrivalMs,
): Promise<string | undefined> {
  if (missing === undefined || (bound !== undefined && isBehind(bound, missing))) return undefined;
  const listed = await archived();
  if (isShort && hasSegment(listed, missing)) throw lateBy(missing);
  if (!isHole(listed, missing)) return undefined;
  await delay(patienceMs);
  if (isHole(await archived(), missing)) return missing;
  throw lateBy(missing);
}

const lateBy = (segment: string): ArrivedLate =>
  new ArrivedLate(`WAL ${segment} has arrived meanwhile: the next attempt takes it in`);
