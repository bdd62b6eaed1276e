// Whether a window is open, and when one opens: pure.
import { readSchedule, type ReadSchedule } from "../api/schedule";
import type { ChangeWindow } from "../api/change-policy";
import { dayMs, momentOf, wallClockOf } from "./time-zone";

/** How far ahead is looked: 29 February may be eight years away. */
const horizonDays = 8 * 366;

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** The length of a window, in milliseconds. */
export function lengthOf({ duration }: Pick<ChangeWindow, "duration">): number {
  const [, hours = "0", minutes = "0"] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(duration) ?? [];
  return Number(hours) * hourMs + Number(minutes) * minuteMs;
}

/** Of those that there are. */
export function least(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The first moment from `moment` on at which a window is open; undefined where none is known. It is asked for later and later ones. */
export type Openings = (moment: number) => number | undefined;

/** Those of windows from `now` on, in milliseconds. Equal windows have the same. */
export function openingsFrom(now: number): (window: ChangeWindow) => Openings {
  const made = new Map<string, Openings>();
  return (window) => {
    const { schedule, duration, timeZone } = window;
    const id = JSON.stringify([schedule, duration, timeZone]);
    const openings = made.get(id) ?? openingsOf(window, now);
    made.set(id, openings);
    return openings;
  };
}

function openingsOf(window: ChangeWindow, now: number): Openings {
  const length = lengthOf(window);
  const times = { ...readSchedule(window.schedule), timeZone: window.timeZone };
  const until = now + horizonDays * dayMs;
  let start: number | undefined = -Infinity;
  return (moment) => {
    // one that began earlier is closed again
    if (start !== undefined && start <= moment - length) start = firstStart(times, moment - length + 1, until);
    return start === undefined ? undefined : Math.max(start, moment);
  };
}

interface Times extends ReadSchedule {
  readonly timeZone: string;
}

/** When it opens first from `from` on, and before `until`. */
function firstStart(times: Times, from: number, until: number): number | undefined {
  // the clocks may be put forward or back on that day
  const first = Math.floor(wallClockOf(times.timeZone, from) / dayMs) - 1;
  for (let day = first; day * dayMs < until; day++) {
    const start = isDay(times, new Date(day * dayMs)) ? firstOn(times, day * dayMs, from) : undefined;
    if (start !== undefined) return start;
  }
  return undefined;
}

function firstOn({ hours, minutes, timeZone }: Times, day: number, from: number): number | undefined {
  // a time that is skipped comes later than some of the next hour
  return least(hours.map((hour) => firstIn(timeZone, day + hour * hourMs, minutes, from)));
}

function firstIn(timeZone: string, hour: number, minutes: readonly number[], from: number): number | undefined {
  const lastMinute = 59 * minuteMs;
  const [begin, end] = [momentOf(timeZone, hour), momentOf(timeZone, hour + lastMinute)];
  // most hours have no change of the clock
  if (end - begin !== lastMinute)
    return least(
      minutes.map((minute) => momentOf(timeZone, hour + minute * minuteMs)).filter((start) => start >= from),
    );
  const minute = end < from ? undefined : minutes.find((one) => begin + one * minuteMs >= from);
  return minute === undefined ? undefined : begin + minute * minuteMs;
}

function isDay({ days, months, weekdays, needsBoth }: ReadSchedule, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const fits = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return needsBoth ? fits.every(Boolean) : fits.some(Boolean);
}
