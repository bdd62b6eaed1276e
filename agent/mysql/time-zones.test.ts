import assert from "node:assert/strict";
import test from "node:test";
import { timeZonesIn } from "./time-zones";

const printed = (name: string): string => `TRUNCATE TABLE time_zone;
TRUNCATE TABLE time_zone_name;
START TRANSACTION;
INSERT INTO time_zone (Use_leap_seconds) VALUES ('N');
SET @time_zone_id= LAST_INSERT_ID();
INSERT INTO time_zone_name (Name, Time_zone_id) VALUES ('${name}', @time_zone_id);
INSERT INTO time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES
 (@time_zone_id, -1830383032, 1)
,(@time_zone_id, 3600, 2)
;
COMMIT;
`;

test("time zones are rows of one transaction, which nothing in it ends early", () => {
  const { statements } = timeZonesIn(printed("Europe/Berlin"));
  assert.equal(statements.filter((statement) => /^DELETE FROM time_zone/.test(statement)).length, 4);
  assert.equal(statements.length, 4 + 4);
  assert.ok(statements.every((statement) => /^(?:DELETE|INSERT|SET @time_zone_id)\b/.test(statement)));
  assert.match(statements.at(-1) ?? "", /3600, 2\)$/);
});

test("the version follows the time zones: equal for equal ones, different for others", () => {
  assert.equal(timeZonesIn(printed("Europe/Berlin")).version, timeZonesIn(printed("Europe/Berlin")).version);
  assert.notEqual(timeZonesIn(printed("Europe/Berlin")).version, timeZonesIn(printed("Europe/Rome")).version);
});

test("an image without zones is refused, and so is a program that prints anything but rows", () => {
  assert.throws(() => timeZonesIn("START TRANSACTION;\nCOMMIT;\n"), /no time zone/);
  assert.throws(() => timeZonesIn("ALTER TABLE time_zone ORDER BY Name;\n"), /not a row: ALTER TABLE/);
});
