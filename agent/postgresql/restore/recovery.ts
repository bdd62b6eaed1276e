// How WAL from an archive is replayed onto a copy, and whether that went as far as was asked: pure.
import { missingHistoryIn, segmentAt, walEndIn, type WalEnd } from "../backup/continuity";
import type { Until } from "./choice";

/** Where WAL is kept, in sentences. */
export const places = {
  storage: { name: "the storage", at: "in the storage" },
  volume: { name: "the backup volume", at: "on the backup volume" },
} as const;
export type Place = (typeof places)[keyof typeof places];

/** Settings of the server that replays it, beside `serverArguments`. Its copy has a `recovery.signal`. `command`: fetches a file of WAL. */
export const recoverySettings = (until: Until, command: string): Record<string, string> => ({
  restore_command: command,
  // it lets no one in before the end, so that the limits that the former server was given on the way do not count
  hot_standby: "off",
  recovery_target_timeline: "latest",
  recovery_target_action: "promote",
  recovery_target_inclusive: "on",
  // what the copy asks for itself must not come in its way; the last one counts
  ...{ recovery_target_lsn: "", recovery_target_name: "", recovery_target_xid: "" },
  recovery_target: until.kind === "backup" ? "immediate" : "",
  ...(until.kind === "moment" && { recovery_target_time: serverTimeOf(until.at) }),
});

/** A moment in RFC 3339 as the server reads it while it starts, when it knows no time zone by name. */
export const serverTimeOf = (moment: string): string => moment.replace("T", " ").replace("Z", "+00");

/** The last segment of WAL among the names of what was missing; undefined where none is. */
export const missingSegmentIn = (noted: string): string | undefined =>
  noted.split("\n").findLast((name) => /^[0-9A-F]{24}$/.test(name));

/** How a server that replayed WAL ended, or that it takes statements. */
export interface Ending {
  /** The end of what it said. */
  readonly said: string;
  /** The segment of WAL that is missing, where later ones are there. */
  readonly hole: string | undefined;
  /** What else kept WAL from being replayed that was there before; see `leftBehind`. Missing where nothing did. */
  readonly left?: string | undefined;
}

/** Whether all WAL was there without which the backup is no data. */
export const isConsistent = (said: string): boolean => said.includes("consistent recovery state reached");

const isShort = (said: string): boolean =>
  said.includes("recovery ended before configured recovery target was reached");

/** Whether WAL that is missing does not matter. Where all of it was asked for it always does. */
export const isReached = (until: Until, said: string): boolean =>
  until.kind !== "last" && isConsistent(said) && !isShort(said);

/** Why its WAL does not lead where it should; undefined where it does, or its own words say why. */
export function whyNotReached(until: Until, ending: Ending, place: Place = places.storage): string | undefined {
  const { said, hole } = ending;
  if (hole !== undefined && !isConsistent(said))
    return `WAL ${hole}, without which the backup is not whole, is missing ${place.at}: choose another backup`;
  if (until.kind === "backup") return undefined;
  const gap = gapIn(ending, place);
  if (until.kind === "last") return gap && `${gap}: write pointInTime, with a moment before that`;
  if (!isShort(said)) return undefined;
  return gap === undefined
    ? `${place.name} has no change as late as ${until.at}: it ends with ${endOf(said)}. Ask for an earlier moment, or wait until more has arrived`
    : `${gap}, and ${until.at} is behind it: ask for an earlier moment, or one after the next backup`;
}

function gapIn({ said, hole, left }: Ending, { at }: Place): string | undefined {
  const cause = hole === undefined ? left : `WAL ${hole} is missing ${at}, and later WAL is there`;
  return cause && `${cause}: no restore gets past ${endOf(said)}`;
}

/**
 * Why a server that has replayed all that it found is not at the end of what was there before it began: it takes a segment that is broken, and a
 * timeline whose history it does not find, for the end. Undefined where it is. `listed`: what `repo-ls` said of the archive then. `first`: the first
 * segment that the backup needs.
 */
export function leftBehind({ listed, first, said, place = places.storage }: Replay): string | undefined {
  const last = walEndIn(listed);
  const lsn = /redo done at ([0-9A-F]+\/[0-9A-F]+)/.exec(said)?.[1];
  if (last === undefined || lsn === undefined || isAtEnd(last, lsn, said)) return undefined;
  const history = missingHistoryIn(listed, timelineOf(first));
  return history === undefined
    ? `WAL is broken ${place.at} behind ${lsn}, and later WAL is there, up to ${last.name}`
    : `${history} is missing ${place.at}, and later WAL is there, up to ${last.name}`;
}

/** What was replayed, and from where. */
export interface Replay {
  readonly listed: string;
  readonly first: string | undefined;
  readonly said: string;
  /** Default: object storage. */
  readonly place?: Place;
}

/** A server begins a timeline behind the one that it followed; where it does not get that far, it says of none. */
function isAtEnd(last: WalEnd, lsn: string, said: string): boolean {
  const begun = /selected new timeline ID: (\d+)/.exec(said)?.[1];
  return (begun === undefined || Number(begun) > last.timeline) && segmentAt(lsn) >= last.position;
}

const timelineOf = (segment = "00000001"): number => Number.parseInt(segment.slice(0, 8), 16);

function endOf(said: string): string {
  const last = /last completed transaction was at log time (.+)$/m.exec(said)?.[1];
  return last === undefined ? "what the backup has" : `the last commit before it, at ${last}`;
}
