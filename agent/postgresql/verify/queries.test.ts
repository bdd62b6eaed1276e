// What it means where a query fails.
import assert from "node:assert/strict";
import test from "node:test";
import { DrillEnd } from "../../verify/decide";
import { failed } from "./queries";

for (const [code, said] of [
  ["42P01", "Failed"],
  ["22012", "Failed"],
  ["53100", "NoRoom"],
  ["53200", "Interrupted"],
  ["57014", "Interrupted"],
  ["58030", "Interrupted"],
  ["08006", "Interrupted"],
  ["EPIPE", "Interrupted"],
] as const) {
  test(`a query that ends with ${code}: ${said}`, () => {
    const error = Object.assign(new Error("x"), { code, ...(code !== "EPIPE" && { severity: "ERROR" }) });
    const answer = ((): string => {
      try {
        return failed("orders", error).answer;
      } catch (end) {
        return end instanceof DrillEnd ? end.finding : String(end);
      }
    })();
    assert.equal(answer, said);
  });
}
