// Whether the WAL that is kept has no hole: pgBackRest's own checks are content with one, and only a restore across it fails. Pure.

/** Of 16 MiB each, as initdb makes them, in what one number of the log has. */
const segmentsOfLog = 256;
export const segmentBytes = 16 * 1024 ** 2;

/** A segment of WAL, by its place in the history that all timelines share. */
export interface Segment {
  readonly timeline: number;
  readonly position: number;
}

/** What of a backup decides it. */
export interface Based {
  /** The first segment of WAL that it needs. */
  readonly firstSegment: string | undefined;
}

/** From where on a restore can go to any moment. */
export interface Continuity<Backup extends Based> {
  /** The oldest backup after which nothing is missing; undefined where there is none. */
  readonly from: Backup | undefined;
  /** The last segment that is missing; undefined where none is. */
  readonly missing: string | undefined;
}

/**
 * `listed`: what `repo-ls` says of the archive, a name per line; names alone will do. `backups`: those whose WAL is kept from their first segment on, the oldest first. What
 * came after the newest of them may arrive in any order, and is not judged.
 */
export function continuityOf<Backup extends Based>(listed: string, backups: readonly Backup[]): Continuity<Backup> {
  const first = positionOf(backups[0]);
  const last = positionOf(backups.at(-1));
  if (first === undefined || last === undefined) return { from: backups[0], missing: undefined };
  const segments = segmentsIn(listed).filter(({ position }) => position >= first && position < last);
  const hole = lastHole(segments, first, last);
  if (hole === undefined) return { from: backups[0], missing: undefined };
  const from = backups.find((backup) => (positionOf(backup) ?? -1) > hole.position);
  return { from, missing: nameOf(hole) };
}

/** Whether, by what `repo-ls` says of the archive, the segment of this name is missing, and later ones are there. */
export function isHole(listed: string, name: string): boolean {
  const missing = segmentOf(name);
  const later = segmentsIn(listed).filter(
    ({ timeline, position }) => missing !== undefined && timeline >= missing.timeline && position >= missing.position,
  );
  return later.length > 0 && !later.some(({ position }) => position === missing?.position);
}

/** Whether, by what `repo-ls` says of the archive, the segment of this name is there. */
export function hasSegment(listed: string, name: string): boolean {
  const wanted = segmentOf(name);
  return segmentsIn(listed).some(
    ({ timeline, position }) => timeline === wanted?.timeline && position === wanted.position,
  );
}

/** Whether the segment of this name has a place behind all WAL that is there. */
export function isBehind(listed: string, name: string): boolean {
  const wanted = segmentOf(name);
  return wanted !== undefined && segmentsIn(listed).every(({ position }) => position < wanted.position);
}

/** The end of the WAL that is there: the last segment of the newest timeline. */
export interface WalEnd extends Segment {
  readonly name: string;
}

/** By what `repo-ls` says of the archive; undefined where it has no segment. */
export function walEndIn(listed: string): WalEnd | undefined {
  const [last] = segmentsIn(listed).toSorted(
    (one, other) => other.timeline - one.timeline || other.position - one.position,
  );
  return last && { ...last, name: nameOf(last) };
}

/** The place of the segment that a position of the log is in, such as `0/5000110`. */
export function segmentAt(lsn: string): number {
  const [log = 0, offset = 0] = lsn.split("/").map((part) => Number.parseInt(part, 16));
  return log * segmentsOfLog + Math.floor(offset / segmentBytes);
}

/** The first file without which no server finds the WAL of a timeline behind `from`, where it is missing. */
export function missingHistoryIn(listed: string, from: number): string | undefined {
  const there = new Set([...listed.matchAll(/(?:^|\/)([0-9A-F]{8})\.history$/gm)].map(([, timeline]) => timeline));
  const newest = walEndIn(listed)?.timeline ?? from;
  for (let timeline = from + 1; timeline <= newest; timeline++)
    if (!there.has(eightDigits(timeline))) return `${eightDigits(timeline)}.history`;
  return undefined;
}

const eightDigits = (part: number): string => part.toString(16).toUpperCase().padStart(8, "0");

/** By what `repo-ls` says of the archive, or by names alone. */
export function segmentsIn(listed: string): readonly Segment[] {
  const names = listed.matchAll(/(?:^|\/)([0-9A-F]{24})(?:-[0-9a-f]{40}(?:\.\w+)?)?$/gm);
  return [...names].flatMap(([, name = ""]) => segmentOf(name) ?? []);
}

/** By its name; undefined for another one. */
export function segmentOf(name: string): Segment | undefined {
  if (!/^[0-9A-F]{24}$/.test(name)) return undefined;
  const [timeline, log, segment] = [0, 8, 16].map((start) => Number.parseInt(name.slice(start, start + 8), 16));
  if (timeline === undefined || log === undefined || segment === undefined) return undefined;
  return { timeline, position: log * segmentsOfLog + segment };
}

const positionOf = (backup: Based | undefined): number | undefined =>
  backup?.firstSegment === undefined ? undefined : segmentOf(backup.firstSegment)?.position;

/** Its name. */
export function nameOf({ timeline, position }: Segment): string {
  const parts = [timeline, Math.floor(position / segmentsOfLog), position % segmentsOfLog];
  return parts.map(eightDigits).join("");
}

/** Every place has a segment, of whichever timeline, and every timeline has all between its first and its last. */
function lastHole(segments: readonly Segment[], first: number, last: number): Segment | undefined {
  const byTimeline = new Map<number, Set<number>>();
  for (const { timeline, position } of segments)
    byTimeline.set(timeline, (byTimeline.get(timeline) ?? new Set()).add(position));
  const timelines = [...byTimeline].toSorted(([one], [other]) => other - one);
  const spans = timelines.map(([timeline, positions]) => ({ timeline, positions, ...endsOf(positions) }));
  for (let position = last - 1; position >= first; position--) {
    const covering = spans.filter((span) => position >= span.least && position <= span.most);
    const lacking = covering.find(({ positions }) => !positions.has(position));
    if (lacking !== undefined) return { timeline: lacking.timeline, position };
    if (covering.length === 0) return { timeline: timelines[0]?.[0] ?? 1, position };
  }
  return undefined;
}

function endsOf(positions: ReadonlySet<number>): { readonly least: number; readonly most: number } {
  let [least, most] = [Infinity, -Infinity];
  for (const position of positions) [least, most] = [Math.min(least, position), Math.max(most, position)];
  return { least, most };
}
