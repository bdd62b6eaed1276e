import assert from "node:assert/strict";
import test from "node:test";
import { neverRuns, schedule } from "./schedule";

const isAccepted = (text: string): boolean => schedule.safeParse(text).success;

test("of all ranges of minutes, those that run forwards are schedules", () => {
  const minutes = Array.from({ length: 60 }, (_, value) => value);
  for (const [from, to] of minutes.flatMap((begin) => minutes.map((end) => [begin, end] as const))) {
    const padded = [from, to].map((value) => String(value).padStart(2, "0"));
    for (const range of [`${from}-${to}`, padded.join("-")]) {
      assert.equal(isAccepted(`5,${range}/7 * * * *`), from <= to, range);
    }
  }
});

const accepted = ["0 0 * JAN-DEC SUN-SAT", "*/5 9-17 1,15 * MON,WED-FRI", "0 0 28-31 2 *", "0 0 * FEB-FEB *"];
for (const text of accepted) {
  test(`"${text}" is a schedule`, () => {
    assert.ok(isAccepted(text));
  });
}

const refused = [
  ...["@daily", "0 2 * * 7", "0 2 * * * *", "* * * *", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 * 13 *"],
  ...["*/0 * * * *", "*/1000 * * * *", "0 2 * * mon", "0 2 * * MON-3", "0 0 * 3-FEB *", "0 0 * DEC-JAN *"],
  ...["0 0 * * SAT-SUN", "0  2 * * *", " 0 2 * * *", "0 2 * * *\n", "TZ=UTC 0 2 * * *", "0 2 * * ?"],
];
for (const text of refused) {
  test(`${JSON.stringify(text)} is not a schedule`, () => {
    assert.ok(!isAccepted(text));
  });
}

for (const text of ["0 0 30 2 *", "0 0 31 FEB,4-6/2,NOV *", "0 0 30,31 02 *", "0 0 31 2-6/2,2 *"]) {
  test(`"${text}" names no day that exists`, () => {
    assert.ok(isAccepted(text) && neverRuns(text));
  });
}

for (const text of [
  "0 2 * * *",
  "0 0 29 2 *",
  "0 0 31 2,3 *",
  "0 0 31 2 MON",
  "0 0 1-31 2 *",
  "0 0 */30 2 *",
  "0 0 31 */3 *",
]) {
  test(`"${text}" names days that exist`, () => {
    assert.ok(isAccepted(text) && !neverRuns(text));
  });
}
