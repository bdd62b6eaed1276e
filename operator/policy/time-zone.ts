// Wall-clock times of time zones as moments, by the tables of Intl.

export const dayMs = 86_400_000;
const minuteMs = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = "2-digit";
  const made = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", era: "short" },
    ...{ month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  });
  formats.set(timeZone, made);
  return made;
}

/** By how much the clocks there are ahead of UTC at that moment, in milliseconds. */
function readOffset(timeZone: string, moment: number): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(moment / 1000) * 1000;
}

/** How the clocks of a zone go for some days: they are ahead of UTC by `before`, and from `change` on by `after`. */
interface Span {
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

/** No zone changes its clocks twice within that time: the shortest that any has between two changes is a month, Ramadan. */
const spanMs = 14 * dayMs;

/** Spans of zones by their number. Intl is slow, and its tables do not change while the process runs. */
const spans = new Map<string, Map<number, Span>>();
const mostSpans = 500;

function spanAt(timeZone: string, moment: number): Span {
  const known = spans.get(timeZone) ?? new Map<number, Span>();
  spans.set(timeZone, known);
  const number = Math.floor(moment / spanMs);
  const found = known.get(number);
  if (found !== undefined) return found;
  if (known.size >= mostSpans) known.clear();
  const made = readSpan(timeZone, number * spanMs, (number + 1) * spanMs);
  known.set(number, made);
  return made;
}

function readSpan(timeZone: string, from: number, to: number): Span {
  const [before, after] = [readOffset(timeZone, from), readOffset(timeZone, to)];
  let [low, high] = [from / minuteMs, to / minuteMs];
  while (before !== after && high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(timeZone, middle * minuteMs) === after) high = middle;
    else low = middle;
  }
  return { before, after, change: high * minuteMs };
}

function offsetAt(timeZone: string, moment: number): number {
  const { before, after, change } = spanAt(timeZone, moment);
  return moment < change ? before : after;
}

/** What the clocks there show at that moment, as if it were UTC, in milliseconds. */
export const wallClockOf = (timeZone: string, moment: number): number => moment + offsetAt(timeZone, moment);

/**
 * The moment at which the clocks there show that. One that they never show, as they are put forward, is as late as they are put forward; of one
 * that they show twice the first.
 */
export function momentOf(timeZone: string, wallClock: number): number {
  const [before, after] = [offsetAt(timeZone, wallClock - dayMs), offsetAt(timeZone, wallClock + dayMs)];
  const [earlier, later] = [wallClock - before, wallClock - after];
  const isShownEarlier = offsetAt(timeZone, earlier) === before;
  return isShownEarlier || offsetAt(timeZone, later) !== after ? earlier : later;
}
