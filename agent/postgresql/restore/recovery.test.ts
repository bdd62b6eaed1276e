import assert from "node:assert/strict";
import test from "node:test";
import { untilOf } from "./choice";
import { isReached, missingSegmentIn, recoverySettings, serverTimeOf, whyNotReached } from "./recovery";

const archive = { settings: "/tmp/source.conf", cluster: "77", missing: "/tmp/missing" };

test("a moment is handed on as a server reads it that knows no time zone by name", () => {
  assert.equal(serverTimeOf("2026-11-25T22:32:52.393213Z"), "2026-11-25 22:32:52.393213+00");
  assert.equal(serverTimeOf("2026-11-25T22:32:52+05:30"), "2026-11-25 22:32:52+05:30");
});

test("the target is set last: another one behind it would take it away", () => {
  const moment = recoverySettings(untilOf("2026-11-25T22:32:52Z"), archive);
  const targets = Object.entries(moment).filter(([name]) => /^recovery_target(_(lsn|name|xid|time))?$/.test(name));
  assert.deepEqual(targets.at(-1), ["recovery_target_time", "2026-11-25 22:32:52+00"]);
  assert.ok(targets.slice(0, -1).every(([, value]) => value === ""));
  assert.equal(recoverySettings(untilOf("backup"), archive)["recovery_target"], "immediate");
  assert.equal(recoverySettings(untilOf("last"), archive)["recovery_target"], "");
});

test("the last segment that was not there is told apart from files that need not be", () => {
  assert.equal(missingSegmentIn(""), undefined);
  assert.equal(missingSegmentIn("00000002.history\n"), undefined);
  assert.equal(
    missingSegmentIn("000000010000000000000004\n000000010000000000000005\n00000002.history\n"),
    "000000010000000000000005",
  );
});

const reached = "LOG:  consistent recovery state reached at 0/2000120\n";
const last = "LOG:  last completed transaction was at log time 2026-11-25 22:32:55.496213+00\n";
const short = `${reached}${last}FATAL:  recovery ended before configured recovery target was reached\n`;
const hole = "000000010000000000000005";

for (const [what, until, said, missing, why] of [
  ["what was asked for is there", "2026-11-25T22:32:54Z", `${reached}${last}`, undefined, undefined],
  [
    "nothing came after the moment",
    "2026-11-25T22:40:00Z",
    short,
    undefined,
    /no change as late as 2026-11-25T22:40:00Z.*22:32:55.496213\+00/,
  ],
  [
    "the moment is behind a gap",
    "2026-11-25T22:40:00Z",
    short,
    hole,
    /000000010000000000000005 is missing.*22:32:55.496213\+00, and 2026-11-25T22:40:00Z is behind it/,
  ],
  [
    "all was asked for, and there is a gap",
    "last",
    `${reached}${last}`,
    hole,
    /no restore gets past .*22:32:55.496213\+00: write pointInTime/,
  ],
  ["all was asked for, and is there", "last", `${reached}${last}`, undefined, undefined],
  [
    "the backup lacks its own WAL",
    "backup",
    "FATAL:  could not locate required checkpoint record",
    hole,
    /is not whole.*another backup/,
  ],
  ["the server does not start", "last", "FATAL:  could not restore file", undefined, undefined],
] as const)
  test(`${what}: ${why === undefined ? "nothing is said" : why.source}`, () => {
    const found = whyNotReached(untilOf(until), { said, hole: missing });
    if (why === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", why);
  });

test("WAL that is missing behind what was asked for does not matter", () => {
  const moment = untilOf("2026-11-25T22:32:54Z");
  assert.equal(isReached(moment, `${reached}${last}`), true);
  assert.equal(isReached(moment, short), false);
  assert.equal(isReached(moment, last), false);
  assert.equal(isReached(untilOf("backup"), reached), true);
  assert.equal(isReached(untilOf("last"), `${reached}${last}`), false);
});
