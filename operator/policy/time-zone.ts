// Wall-clock times of a time zone as moments, by the tables of Intl. Pure.

export const dayMs = 86_400_000;

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

/** What the clocks there show at that moment, as if it were UTC, in milliseconds and whole seconds. */
export function wallClockOf(timeZone: string, moment: number): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}

const offsetAt = (timeZone: string, moment: number): number =>
  wallClockOf(timeZone, moment) - Math.floor(moment / 1000) * 1000;

/**
 * The moment at which the clocks there show that. One that they never show, as they are put forward, is as late as they are put forward; of one
 * that they show twice the first.
 */
export function momentOf(timeZone: string, wallClock: number): number {
  const [earlier, later] = [-dayMs, dayMs].map((by) => wallClock - offsetAt(timeZone, wallClock + by)) as [
    number,
    number,
  ];
  const shown = [earlier, later].filter((moment) => wallClockOf(timeZone, moment) === wallClock);
  return shown.length > 0 ? Math.min(...shown) : earlier;
}
