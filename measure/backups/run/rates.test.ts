import assert from "node:assert/strict";
import test from "node:test";
import type { Attempt } from "../../availability/load/account";
import { acknowledgedPerSecond, dueBefore, lagsOf } from "./rates";

const attempt = (endedAt: number, outcome: Attempt["outcome"] = "acknowledged"): Attempt => ({
  ...{ client: 0, number: endedAt, sentAt: endedAt - 1, endedAt, outcome },
});

test("acknowledgements are counted in the window only, per second", () => {
  const attempts = [attempt(900), attempt(1100), attempt(1500, "unknown"), attempt(3000), attempt(3001)];
  assert.equal(acknowledgedPerSecond(attempts, { from: 1000, to: 3000 }), 1);
  assert.throws(() => acknowledgedPerSecond(attempts, { from: 1, to: 1 }), /no length/);
});

test("what was acknowledged after a moment may be there or not", () => {
  const due = dueBefore([attempt(10), attempt(20), attempt(30, "refused")], 15);
  assert.deepEqual(
    due.map(({ outcome }) => outcome),
    ["acknowledged", "unknown", "refused"],
  );
});

test("a look at the archive lasts until what was written then has arrived", () => {
  const looks = [
    { at: 0, writing: "02", arrived: "" },
    { at: 100, writing: "02", arrived: "01" },
    { at: 300, writing: "04", arrived: "02" },
    { at: 700, writing: "05", arrived: "04" },
  ];
  assert.deepEqual(lagsOf(looks), [300, 200, 400]);
  assert.deepEqual(lagsOf([]), []);
});
