// Cron schedules: the dialect that CronJobs accept (no seconds, no macros, Sunday is 0), and no range that runs backwards.
import { z } from "zod";
import { matches } from "./fields";
import { rule } from "./rules";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const CRON = cronPattern();
const BACKWARDS = backwardsPattern();

/** Five fields of lists of values, ranges and steps. In a range both ends are numbers, or both are names. */
function cronPattern(): RegExp {
  const range = (value: string): string => `(${value})(-(${value}))?`;
  const field = (...values: string[]): string => {
    const item = `(\\*|${values.map(range).join("|")})(/[1-9][0-9]{0,2})?`;
    return `${item}(,${item})*`;
  };
  const minute = field("[0-5]?[0-9]");
  const hour = field("[01]?[0-9]|2[0-3]");
  const day = field("0?[1-9]|[12][0-9]|3[01]");
  const month = field("0?[1-9]|1[0-2]", MONTHS.join("|"));
  const weekday = field("[0-6]", WEEKDAYS.join("|"));
  return new RegExp(`^${[minute, hour, day, month, weekday].join(" ")}$`);
}

/** A range whose end is below its beginning. A pattern, since what computes in lists costs more than a rule may. */
function backwardsPattern(): RegExp {
  const names = [MONTHS, WEEKDAYS].flatMap((kind) =>
    kind.slice(0, -1).map((name, index) => `(${kind.slice(index + 1).join("|")})-${name}`),
  );
  const numbers = Array.from({ length: 59 }, (_, end) => `(${above(end)})-0?${end}`);
  return new RegExp(`(^|[ ,])(${[...numbers, ...names].join("|")})($|[ ,/])`);
}

/** A pattern for the numbers from `end` + 1 to 59. */
function above(end: number): string {
  const [tens, units] = [Math.floor(end / 10), end % 10];
  const sameTens = units === 9 ? [] : [`${tens === 0 ? "0?" : tens}[${units + 1}-9]`];
  const moreTens = tens === 5 ? [] : [`[${tens + 1}-5][0-9]`];
  return [...sameTens, ...moreTens].join("|");
}

/** Five cron fields, in UTC. */
export const schedule = rule(
  rule(z.string().max(100), {
    rule: matches("self", CRON),
    message: 'must be five cron fields (minute hour day month weekday), for example "0 2 * * *"',
    holds: (text) => CRON.test(text),
  }),
  {
    rule: `!${matches("self", BACKWARDS)}`,
    message: 'must have ranges that run forwards, for example "0 2 * * 1-5"',
    holds: (text) => !BACKWARDS.test(text),
  },
);

/** In a year that has most. */
const daysOf = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a schedule names days that its months do not have: 30 February, or 31 in none but short months. */
export function neverRuns(text: string): boolean {
  const { days, months, isAnyWeekday } = readSchedule(text);
  // with both, either of them is enough
  if (!isAnyWeekday) return false;
  const first = Math.min(...days);
  return [...months].every((month) => (daysOf[month - 1] ?? 0) < first);
}

/** What a schedule stands for. */
export interface ReadSchedule {
  /** Ascending. */
  readonly minutes: readonly number[];
  /** Ascending. */
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  /** From 1. */
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  /** Whether the field restricts nothing. */
  readonly isAnyWeekday: boolean;
  /** Whether a day must be one of both: where each of the two is restricted, one is enough. */
  readonly needsBoth: boolean;
}

/** Of one that keeps the rules. */
export function readSchedule(text: string): ReadSchedule {
  const [minute = "*", hour = "*", day = "*", month = "*", weekday = "*"] = text.split(" ");
  return {
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    days: new Set(valuesOf(day, 1, 31)),
    months: new Set(valuesOf(month, 1, 12, MONTHS)),
    weekdays: new Set(valuesOf(weekday, 0, 6, WEEKDAYS)),
    isAnyWeekday: isFree(weekday),
    needsBoth: isFree(day) || isFree(weekday),
  };
}

/** Whether a field restricts nothing, as CronJobs take it: a step of more than one does. */
const isFree = (field: string): boolean => field.split(",").some((item) => item === "*" || item === "*/1");

/** What a field with values from `first` to `last` stands for, ascending. */
function valuesOf(field: string, first: number, last: number, names: readonly string[] = []): number[] {
  const numberOf = (text: string): number => (names.includes(text) ? names.indexOf(text) + first : Number(text));
  const values = field.split(",").flatMap((item) => {
    const [range = "*", step] = item.split("/");
    const [from = "", to = step === undefined ? from : String(last)] =
      range === "*" ? [String(first), String(last)] : range.split("-");
    const count = Math.floor((numberOf(to) - numberOf(from)) / Number(step ?? 1)) + 1;
    return Array.from({ length: count }, (_, index) => numberOf(from) + index * Number(step ?? 1));
  });
  return [...new Set(values)].sort((a, b) => a - b);
}
