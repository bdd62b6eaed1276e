import assert from "node:assert/strict";
import test from "node:test";
import { ChangePolicy } from "./change-policy";

const window = { schedule: "0 2 * * SUN", duration: "2h" };
const problemsOf = (given: unknown): string[] =>
  ChangePolicy.safeParse(given).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("a policy may say as little as nothing", () => {
  assert.deepEqual(ChangePolicy.parse({}), { requireApproval: [], windows: [] });
  const [filled] = ChangePolicy.parse({ windows: [window] }).windows;
  assert.deepEqual(filled, { ...window, timeZone: "UTC", effects: ["RollingRestart", "Switchover", "Downtime"] });
});

for (const timeZone of [
  "UTC",
  "Europe/Berlin",
  "America/Argentina/Buenos_Aires",
  "Etc/GMT+5",
  "America/Port-au-Prince",
])
  test(`${timeZone} is a time zone`, () => {
    assert.deepEqual(problemsOf({ windows: [{ ...window, timeZone }] }), []);
  });

for (const timeZone of [
  "",
  "utc",
  "true",
  "CET",
  "europe/berlin",
  "Europe/",
  "/Europe",
  "../UTC",
  "UTC+1",
  "Europe Berlin",
])
  test(`${JSON.stringify(timeZone)} is not written as a time zone`, () => {
    const problems = problemsOf({ windows: [{ ...window, timeZone }] });
    assert.deepEqual(problems, ["windows.0.timeZone: must be UTC, or the name of a time zone such as Europe/Berlin"]);
  });

test("a place that there is not is said to be none", () => {
  assert.match(
    problemsOf({ windows: [{ ...window, timeZone: "Europe/Nowhere" }] }).join(),
    /is no time zone that the operator knows/,
  );
});

for (const duration of ["", "2", "0h", "2h0m", "100h", "2d", "h", "1m1h", "-1h"])
  test(`${duration} is no duration`, () => {
    assert.match(problemsOf({ windows: [{ ...window, duration }] }).join(), /^windows.0.duration: /);
  });

test("effects that no policy can name are refused", () => {
  for (const effect of ["None", "CannotBeTold", "Restart"])
    assert.match(problemsOf({ requireApproval: [effect] }).join(), /^requireApproval.0: /);
  assert.match(problemsOf({ windows: [{ ...window, effects: [] }] }).join(), /^windows.0.effects: /);
});
