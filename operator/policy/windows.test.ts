import assert from "node:assert/strict";
import test from "node:test";
import type { ChangeWindow } from "../api/change-policy";
import { lengthOf, openUntil, opensAfter, startsFrom } from "./windows";

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
  ["that never closes", windowOf("* * * * *", "2m"), "2026-11-27T15:00Z", "2026-11-28T15:01Z", "2026-11-27T15:01Z"],
  ["of a leap day", windowOf("0 2 29 2 *", "1h"), "2026-11-27T15:00Z", undefined, "2028-02-29T02:00Z"],
  ["of a day that never comes", windowOf("0 2 30 2 *", "1h"), "2026-11-27T15:00Z", undefined, undefined],
  ["of a weekday or a day", windowOf("0 2 15 * MON", "1h"), "2026-12-12T00:00Z", undefined, "2026-12-14T02:00Z"],
  ["of a day, after the weekday", windowOf("0 2 15 * MON", "1h"), "2026-12-14T05:00Z", undefined, "2026-12-15T02:00Z"],
  [
    "of every second day, if a Monday",
    windowOf("0 2 */2 * MON", "1h"),
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
for (const [what, window, now, open, next] of rows) {
  test(`a window ${what}`, () => {
    assert.deepEqual([told(openUntil(window, at(now))), told(opensAfter(window, at(now)))], [open, next]);
  });
}

test("minutes of every hour come in their order, once each, also where the clock is changed", () => {
  for (const from of ["2027-03-28T00:00Z", "2026-10-25T00:00Z"]) {
    const starts = startsFrom(windowOf("*/20 * * * *", "5m", "Europe/Berlin"), at(from));
    const first = Array.from({ length: 30 }, () => Number(starts.next().value));
    assert.deepEqual(
      first,
      [...new Set(first)].sort((a, b) => a - b),
      from,
    );
  }
});

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
