import assert from "node:assert/strict";
import test from "node:test";
import type { ChangeWindow } from "../api/change-policy";
import { momentOf, wallClockOf } from "./time-zone";
import { lengthOf, openingsFrom } from "./windows";

const windowOf = (schedule: string, duration: string, timeZone = "UTC"): ChangeWindow => ({
  ...{ schedule, duration, timeZone },
  effects: ["RollingRestart"],
});
const at = (text: string): number => Date.parse(text);
const told = (moment: number | undefined): string | undefined =>
  moment === undefined ? undefined : new Date(moment).toISOString().replace(":00.000Z", "Z");

/** Window, now, until when it is open, when it opens next. */
const rows: readonly (readonly [string, ChangeWindow, string, string | undefined, string | undefined])[] = [
  ["before it", windowOf("0 2 * * SUN", "2h"), "2026-11-27T15:00Z", undefined, "2026-11-29T02:00Z"],
  ["as it opens", windowOf("0 2 * * SUN", "2h"), "2026-11-29T02:00Z", "2026-11-29T04:00Z", "2026-12-06T02:00Z"],
  ["within it", windowOf("0 2 * * SUN", "2h"), "2026-11-29T03:59Z", "2026-11-29T04:00Z", "2026-12-06T02:00Z"],
  ["as it closes", windowOf("0 2 * * SUN", "2h"), "2026-11-29T04:00Z", undefined, "2026-12-06T02:00Z"],
  ["across midnight", windowOf("30 22 * * FRI", "4h"), "2026-11-28T01:00Z", "2026-11-28T02:30Z", "2026-12-04T22:30Z"],
  ["across a year", windowOf("0 23 31 12 *", "3h"), "2027-01-01T01:00Z", "2027-01-01T02:00Z", "2027-12-31T23:00Z"],
  ["over several days", windowOf("0 0 * * SAT", "48h"), "2026-11-29T23:00Z", "2026-11-30T00:00Z", "2026-12-05T00:00Z"],
  ["that never closes", windowOf("* * * * *", "2m"), "2026-11-27T15:00Z", "never", "2026-11-27T15:01Z"],
  ["of a leap day", windowOf("0 2 29 2 *", "1h"), "2026-11-27T15:00Z", undefined, "2028-02-29T02:00Z"],
  ["of a day that never comes", windowOf("0 2 30 2 *", "1h"), "2026-11-27T15:00Z", undefined, undefined],
  ["of a weekday or a day", windowOf("0 2 15 * MON", "1h"), "2026-12-12T00:00Z", undefined, "2026-12-14T02:00Z"],
  ["of a day, after the weekday", windowOf("0 2 15 * MON", "1h"), "2026-12-14T05:00Z", undefined, "2026-12-15T02:00Z"],
  // as CronJobs do: a step is a restriction, and of two restrictions one is enough
  [
    "of every second day, or a Monday",
    windowOf("0 2 */2 * MON", "1h"),
    "2026-12-01T00:00Z",
    undefined,
    "2026-12-01T02:00Z",
  ],
  [
    "of a Monday, or every second day",
    windowOf("0 2 */2 * MON", "1h"),
    "2026-12-05T03:00Z",
    undefined,
    "2026-12-07T02:00Z",
  ],
  [
    "of every second weekday, or a day",
    windowOf("0 2 2 * */2", "1h"),
    "2026-12-01T03:00Z",
    undefined,
    "2026-12-02T02:00Z",
  ],
  ["of every day, if a Monday", windowOf("0 2 */1 * MON", "1h"), "2026-12-01T00:00Z", undefined, "2026-12-07T02:00Z"],
  [
    "of every day by a list, if a Monday",
    windowOf("0 2 5,* * MON", "1h"),
    "2026-12-01T00:00Z",
    undefined,
    "2026-12-07T02:00Z",
  ],
  [
    "in another zone",
    windowOf("0 2 * * SUN", "2h", "Europe/Berlin"),
    "2026-11-29T01:00Z",
    "2026-11-29T03:00Z",
    "2026-12-06T01:00Z",
  ],
  [
    "in a zone of half hours",
    windowOf("0 2 * * *", "1h", "Asia/Kolkata"),
    "2026-11-27T20:00Z",
    undefined,
    "2026-11-27T20:30Z",
  ],
  [
    "on the other side of the date line",
    windowOf("0 2 * * SUN", "1h", "Pacific/Auckland"),
    "2026-11-27T20:00Z",
    undefined,
    "2026-11-28T13:00Z",
  ],
  [
    "at a time that is skipped",
    windowOf("30 2 * * *", "1h", "Europe/Berlin"),
    "2027-03-28T00:00Z",
    undefined,
    "2027-03-28T01:30Z",
  ],
  [
    "at a time that is shown twice",
    windowOf("30 2 * * *", "1h", "Europe/Berlin"),
    "2026-10-24T23:00Z",
    undefined,
    "2026-10-25T00:30Z",
  ],
  [
    "at that time the second time",
    windowOf("30 2 * * *", "30m", "Europe/Berlin"),
    "2026-10-25T01:40Z",
    undefined,
    "2026-10-26T01:30Z",
  ],
  [
    "open while clocks are put forward",
    windowOf("0 1 * * *", "3h", "Europe/Berlin"),
    "2027-03-28T02:30Z",
    "2027-03-28T03:00Z",
    "2027-03-28T23:00Z",
  ],
  [
    "open while clocks are put back",
    windowOf("0 1 * * *", "3h", "Europe/Berlin"),
    "2026-10-25T01:59Z",
    "2026-10-25T02:00Z",
    "2026-10-26T00:00Z",
  ],
  [
    "skipped midnight",
    windowOf("0 0 * * *", "1h", "America/Santiago"),
    "2026-09-06T03:30Z",
    undefined,
    "2026-09-06T04:00Z",
  ],
];
const minuteMs = 60_000;

test("minutes of every hour come in their order, once each, also where the clock is changed", () => {
  for (const [from, pauses] of [
    ["2027-03-28T00:00Z", [20]],
    ["2026-10-25T00:00Z", [20, 80]],
  ] as const) {
    const opening = openingsFrom(at(from))(windowOf("*/20 * * * *", "1m", "Europe/Berlin"));
    const starts = [at(from)];
    while (starts.length < 30) starts.push(opening((starts.at(-1) ?? NaN) + minuteMs) ?? NaN);
    const between = starts.slice(1).map((start, index) => (start - (starts[index] ?? NaN)) / minuteMs);
    assert.deepEqual([...new Set(between)], pauses);
  }
});

/** Zones, and days on which their clocks are changed. */
const changed: readonly (readonly [string, ...string[]])[] = [
  ["Europe/Berlin", "2026-03-29", "2026-10-25"],
  ["America/Santiago", "2026-04-05", "2026-09-06"],
  ["Australia/Lord_Howe", "2026-04-05", "2026-10-04"],
  ["Africa/Casablanca", "2026-02-15", "2026-03-22"],
  ["Antarctica/Troll", "2026-03-29", "2026-10-25"],
  ["Pacific/Chatham", "2026-04-05", "2026-09-27"],
  ["Asia/Kathmandu", "2026-06-01"],
];
for (const [zone, ...days] of changed) {
  test(`a moment shows the time in ${zone} that it is found by, the first one, or the clocks are put forward`, () => {
    const times = days.flatMap((day) =>
      Array.from({ length: 4 * 48 }, (_, index) => at(`${day}T00:00Z`) + (15 * index - 12 * 60) * minuteMs),
    );
    for (const wallClock of times) {
      const moment = momentOf(zone, wallClock);
      const shown = wallClockOf(zone, moment);
      const isShownBefore = [30, 60, 120].some((by) => wallClockOf(zone, moment - by * minuteMs) === wallClock);
      assert.ok(shown === wallClock ? !isShownBefore : shown > wallClock, new Date(wallClock).toISOString());
    }
  });
}

/** When it opens first from then on. */
const opens = (window: ChangeWindow, moment: number): number | undefined => openingsFrom(moment)(window)(moment);

for (const [what, window, now, end, next] of rows) {
  test(`a window ${what}`, () => {
    const moment = at(now);
    assert.equal(opens(window, moment) === moment, end !== undefined);
    // of one minute it is open as it begins alone
    assert.equal(told(opens({ ...window, duration: "1m" }, moment + minuteMs)), next);
    if (end === undefined || end === "never") return;
    assert.equal(opens(window, at(end) - 1), at(end) - 1);
    assert.notEqual(opens(window, at(end)), at(end));
  });
}

for (const [duration, minutes] of [
  ["2h", 120],
  ["90m", 90],
  ["1h30m", 90],
  ["99h59m", 5999],
] as const) {
  test(`${duration} are ${minutes} minutes`, () => {
    assert.equal(lengthOf({ duration }), minutes * 60_000);
  });
}
