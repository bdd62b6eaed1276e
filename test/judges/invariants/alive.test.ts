// How an operator may end, and how it may not.
import assert from "node:assert/strict";
import test from "node:test";
import { problemWith, type End } from "./alive";

const lost = '{"level":50,"reason":"the lease ran out","msg":"leadership lost"}';
const end = (how: Partial<End>): End => ({
  ...{ who: "process 42", code: null, signal: null, told: [], lastLine: "its last words" },
  ...how,
});

const proper: Record<string, End> = {
  "told to stop, and says 0": end({ code: 0, told: ["SIGTERM"] }),
  "killed by the test": end({ signal: "SIGKILL", told: ["SIGKILL"] }),
  "told to stop before it could hear of it": end({ signal: "SIGTERM", told: ["SIGTERM"] }),
  "killed by the test where it does not stop": end({ signal: "SIGKILL", told: ["SIGTERM", "SIGKILL"] }),
  "it has lost its lease": end({ code: 1, lastLine: lost }),
};
const improper: Record<string, readonly [End, RegExp]> = {
  "it crashed": [end({ code: 1 }), /^process 42 ended with 1: its last words$/],
  "it was told to stop, and failed": [end({ code: 1, told: ["SIGTERM"] }), /ended with 1/],
  "it ended by itself, and says 0": [end({ code: 0 }), /ended with 0, though it was not told to/],
  "it ran out of memory": [
    end({ signal: "SIGKILL" }),
    /was ended by SIGKILL, which was not sent by a test: its last words/,
  ],
  "it ran out of memory while it stopped": [end({ signal: "SIGKILL", told: ["SIGTERM"] }), /ended by SIGKILL/],
  "it broke": [end({ signal: "SIGSEGV" }), /ended by SIGSEGV/],
  "it aborted after it had lost its lease": [end({ signal: "SIGABRT", lastLine: lost }), /ended by SIGABRT/],
};

for (const [sentence, how] of Object.entries(proper)) {
  test(`alive: ${sentence}`, () => {
    assert.equal(problemWith(how), undefined);
  });
}
for (const [sentence, [how, says]] of Object.entries(improper)) {
  test(`not alive: ${sentence}`, () => {
    assert.match(problemWith(how) ?? "", says);
  });
}
