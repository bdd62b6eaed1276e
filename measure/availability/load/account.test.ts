import assert from "node:assert/strict";
import test from "node:test";
import { accountOf, longestGap, outageOf, type Attempt, type Outcome } from "./account";

const window = { from: 1000, to: 9000 };

test("the outage is the longest time between two acknowledgements, in whatever order they are reported", () => {
  assert.equal(longestGap([900, 1100, 4100, 4200, 8900], window), 4700);
  assert.equal(longestGap([8900, 900, 4100, 1100, 4200], window), 4700);
});

test("it begins with the last acknowledgement before the fault", () => {
  assert.equal(longestGap([100, 990, 5000, 8990], window), 4010);
});

test("gaps before the fault and after the end do not count", () => {
  assert.equal(longestGap([0, 900, 1100, 8999, 20_000], { from: 1000, to: 1500 }), 400);
});

test("where no acknowledgement comes any more, the outage lasts to the end", () => {
  assert.equal(longestGap([900, 1100], window), 7900);
  assert.equal(longestGap([], window), 8000);
});

const attempt = (client: number, number: number, endedAt: number, outcome: Outcome = "acknowledged"): Attempt => ({
  ...{ client, number, endedAt, outcome },
  sentAt: endedAt - 5,
});

test("clients fill each other's gaps; the longest that one of them saw is separate", () => {
  const attempts = [attempt(1, 1, 900), attempt(2, 1, 900), attempt(1, 2, 4900), attempt(2, 2, 8900)];
  assert.deepEqual(outageOf(attempts, window), { overallMs: 4000, worstClientMs: 8000 });
});

test("a client that never got an acknowledgement saw the longest outage", () => {
  const attempts = [attempt(1, 1, 1500), attempt(1, 2, 8900), attempt(2, 1, 3000, "unknown")];
  assert.equal(outageOf(attempts, window).worstClientMs, 8000);
});

test("only acknowledgements end an outage", () => {
  const attempts = [attempt(1, 1, 1000), attempt(1, 2, 3000, "refused"), attempt(1, 3, 5000, "unknown")];
  assert.equal(outageOf(attempts, window).overallMs, 8000);
});

test("an acknowledged row must be on every member; a lost row is lost once", () => {
  const attempts = [attempt(1, 1, 10), attempt(1, 2, 20), attempt(2, 1, 30)];
  const whole = [
    [1, 1],
    [1, 2],
    [2, 1],
  ] as const;
  assert.equal(accountOf(attempts, [whole, whole]).lost, 0);
  assert.equal(accountOf(attempts, [whole, whole.slice(0, 2)]).lost, 1);
  assert.equal(accountOf(attempts, [whole.slice(1), whole.slice(1)]).lost, 1);
});

test("a statement that timed out is neither acknowledged nor lost, whether its row is there or not", () => {
  const attempts = [attempt(1, 1, 10), attempt(1, 2, 20, "unknown"), attempt(1, 3, 30, "unknown")];
  const rows = [
    [1, 1],
    [1, 3],
  ] as const;
  assert.deepEqual(accountOf(attempts, [rows]), {
    ...{ acknowledged: 1, refused: 0, unknown: 2, lost: 0 },
    ...{ unknownFound: 1, impossible: 0 },
  });
});

test("rows that were never sent, or were refused, show that the measurement is wrong", () => {
  const attempts = [attempt(1, 1, 10), attempt(1, 2, 20, "refused")];
  const rows = [
    [1, 1],
    [1, 2],
    [7, 7],
  ] as const;
  assert.equal(accountOf(attempts, [rows]).impossible, 2);
});

test("without any member nothing can be said", () => {
  assert.throws(() => accountOf([attempt(1, 1, 10)], []), /no member/);
});
