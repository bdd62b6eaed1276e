import assert from "node:assert/strict";
import test from "node:test";
import { verifyCronJobName } from "../../components/naming";
import type { PlannedStep } from "../domain/runner";
import { consequencesOf } from "./consequences";

const at = {
  ...{ name: "orders", members: 3, primary: "orders-0", exists: true, isRebuilt: false, asked: [] },
  ...{ noPlace: undefined, made: undefined },
};

for (const [operation, said] of [
  ["create", /restored by schedule from now on/],
  ["update", /new settings from the next one on/],
  ["delete", /no more backups are restored/],
] as const) {
  test(`a preview says what it means that restore drills: ${operation}, and that nothing restarts`, () => {
    const step: PlannedStep = {
      kind: "CronJob",
      name: verifyCronJobName("orders"),
      operation,
      retained: false,
      fields: [],
    };
    const [first = "", ...others] = consequencesOf([step], at);
    assert.match(first, said);
    assert.deepEqual(others, ["no member restarts"]);
  });
}
