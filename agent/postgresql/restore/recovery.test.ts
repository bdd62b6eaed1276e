import assert from "node:assert/strict";
import test from "node:test";
import { untilOf } from "./choice";
import { isReached, leftBehind, missingSegmentIn, recoverySettings, serverTimeOf, whyNotReached } from "./recovery";

const archive = "fetch %f %p";

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

const sum = "a".repeat(40);
const archiveOf = (...names: readonly string[]): string =>
  names.map((name) => `17-1/${name.endsWith("y") ? name : `${name.slice(0, 16)}/${name}-${sum}.zst`}`).join("\n");
const done = (lsn: string, timeline?: number): string =>
  `${reached}LOG:  redo done at ${lsn} system usage: CPU\n${last}${timeline === undefined ? "" : `LOG:  selected new timeline ID: ${timeline}\n`}`;
const [third, fourth, sixth] = ["000000010000000000000003", "000000010000000000000004", "000000020000000000000006"];
const left = (listed: string, said: string): string | undefined => leftBehind({ listed, first: third, said });

test("a replay that ends before what was there is noticed, whatever made it end", () => {
  const one = archiveOf(third, fourth);
  assert.equal(left(one, done("0/4000110", 2)), undefined);
  // more may have arrived meanwhile
  assert.equal(left(one, done("0/5000110", 2)), undefined);
  assert.match(
    left(one, done("0/3000110", 2)) ?? "",
    /broken in the storage behind 0\/3000110, and later WAL is there, up to 000000010000000000000004/,
  );
  const two = archiveOf(third, fourth, "00000002.history", sixth);
  assert.equal(left(two, done("0/6000110", 3)), undefined);
  assert.match(left(two, done("0/6000110", 2)) ?? "", /broken/);
  const lost = archiveOf(third, fourth, sixth);
  assert.match(
    left(lost, done("0/4000110", 2)) ?? "",
    /00000002\.history is missing .* up to 000000020000000000000006/,
  );
  // the former primary had archived as much, and more
  assert.match(left(lost, done("0/7000110", 2)) ?? "", /00000002\.history is missing/);
  // of a server that did not come that far its own words say why
  assert.equal(left(two, "FATAL:  could not restore file"), undefined);
});

test("what is broken or lost is told instead of that there is nothing as late", () => {
  const why = left(archiveOf(third, fourth), done("0/3000110"));
  const moment = whyNotReached(untilOf("2026-11-25T22:40:00Z"), { said: short, hole: undefined, left: why });
  assert.match(moment ?? "", /^WAL is broken .* no restore gets past .*22:32:55.*22:40:00Z is behind it/);
  const all = whyNotReached(untilOf("last"), { said: done("0/3000110", 2), hole: undefined, left: why });
  assert.match(all ?? "", /^WAL is broken .*: write pointInTime/);
});
