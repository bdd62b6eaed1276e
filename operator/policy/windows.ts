// Whether a window is open, and when one opens: pure.
import { readSchedule, type ReadSchedule } from "../api/schedule";
import type { ChangeWindow } from "../api/change-policy";
import { dayMs, momentOf, wallClockOf } from "./time-zone";

/** How far ahead is looked: 29 February may be eight years away. */
const horizonDays = 8 * 366;

/** The length of a window, in milliseconds. */
export function lengthOf({ duration }: Pick<ChangeWindow, "duration">): number {
  const [, hours = "0", minutes = "0"] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(duration) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Until when the window is open that is open at `now`; undefined where it is not. Both in milliseconds. */
export function openUntil(window: ChangeWindow, now: number): number | undefined {
  const length = lengthOf(window);
  let end: number | undefined;
  // one that opens again before it closes stays open
  for (const start of startsFrom(window, now - length + 1)) {
    if (start > (end ?? now)) break;
    end = start + length;
    if (end - now > dayMs) break;
  }
  return end;
}

/** When the window opens next after `now`, in milliseconds; undefined where it never does. */
export function opensAfter(window: ChangeWindow, now: number): number | undefined {
  for (const start of startsFrom(window, now + 1)) return start;
  return undefined;
}

/** The next moments from `from` on at which it opens, ascending. */
export function* startsFrom({ schedule, timeZone }: ChangeWindow, from: number): Generator<number> {
  const read = readSchedule(schedule);
  // the clocks may be put forward or back on that day
  const first = Math.floor(wallClockOf(timeZone, from) / dayMs) - 1;
  let last = -Infinity;
  for (let day = first; day < first + horizonDays; day++) {
    if (!isDay(read, new Date(day * dayMs))) continue;
    for (const start of startsOn(read, timeZone, day * dayMs)) {
      if (start < from || start <= last) continue;
      last = start;
      yield start;
    }
  }
}

function* startsOn({ hours, minutes }: ReadSchedule, timeZone: string, day: number): Generator<number> {
  const moments = hours.flatMap((hour) => {
    // most days have no change of the clock: one look an hour is enough
    const [begin, end] = [0, 59].map((minute) => momentOf(timeZone, day + (hour * 60 + minute) * 60_000));
    const isEven = begin !== undefined && end !== undefined && end - begin === 59 * 60_000;
    return minutes.map((minute) =>
      isEven ? begin + minute * 60_000 : momentOf(timeZone, day + (hour * 60 + minute) * 60_000),
    );
  });
  yield* moments.sort((a, b) => a - b);
}

function isDay({ days, months, weekdays, needsBoth }: ReadSchedule, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const fits = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return needsBoth ? fits.every(Boolean) : fits.some(Boolean);
}
