import assert from "node:assert/strict";
import test from "node:test";
import { planOfConversion, planOfReturn, reversed, type Exchange, type Found, type Plan } from "./plan";

const majors = { from: "15", to: "17" };
const forward: Exchange = { from: "15", to: "17", former: "1500", present: "1700", checkpoint: "5" };
const back = reversed(forward);

function wordsOf(plan: Plan): string {
  if (plan.kind === "refused") return `refused: ${plan.why}`;
  return plan.kind === "exchange" ? `exchange ${plan.aside ?? "nothing"} for ${plan.place}` : plan.kind;
}

type Case = readonly [
  what: string,
  data: string | undefined,
  kept: string[],
  exchange: Exchange | undefined,
  plan: string,
  /** Default: that of the note. */
  checkpoint?: string,
];

const found = (
  data: string | undefined,
  kept: readonly string[],
  exchange: Exchange | undefined,
  checkpoint = exchange?.checkpoint,
): Found => ({ data, kept, exchange, checkpoint });

const conversions: readonly Case[] = [
  ["nothing has been done", "15", [], undefined, "convert"],
  ["it was killed once the files were complete", "15", [], forward, "exchange 15 for converted"],
  ["it was killed between the renames", undefined, ["15"], forward, "exchange nothing for converted"],
  ["members have run with the former files since", "15", [], forward, "convert", "6"],
  ["the same between the renames", undefined, ["15"], forward, "refused: there are no files of PostgreSQL 15", "6"],
  ["it was killed after the last rename", "17", ["15"], forward, "done"],
  ["it had been taken back, and the newer files have gone since", "15", [], back, "convert"],
  [
    "it had been taken back, and the newer files are kept",
    "15",
    ["17"],
    back,
    "refused: files of PostgreSQL 17 are kept",
  ],
  [
    "former files are kept of which nothing is known",
    "15",
    ["13"],
    undefined,
    "refused: files of PostgreSQL 13 are kept",
  ],
  ["there is nothing", undefined, [], undefined, "refused: there are no files of PostgreSQL 15"],
  [
    "former files alone are there, and nothing is complete",
    undefined,
    ["15"],
    undefined,
    "refused: there are no files",
  ],
  ["another version is there", "16", [], undefined, "refused: there are no files of PostgreSQL 15"],
  ["another version is there, and a note", "16", [], forward, "refused: there are no files of PostgreSQL 15"],
];

for (const [what, data, kept, exchange, plan, checkpoint] of conversions) {
  test(`on the way to the target: ${what}`, () => {
    assert.ok(wordsOf(planOfConversion(found(data, kept, exchange, checkpoint), majors)).startsWith(plan));
  });
}

const returns: readonly Case[] = [
  ["the target runs", "17", ["15"], forward, "exchange 17 for kept"],
  ["nothing was converted", "15", [], undefined, "done"],
  ["the conversion was killed once the files were complete", "15", [], forward, "done"],
  ["the conversion was killed between the renames", undefined, ["15"], forward, "exchange nothing for kept"],
  ["the return was killed before the renames", "17", ["15"], back, "exchange 17 for kept"],
  ["the return was killed between the renames", undefined, ["15", "17"], back, "exchange nothing for kept"],
  ["the return was killed after the last rename", "15", ["17"], back, "done"],
  ["the former files have gone", "17", [], forward, "refused: the files of PostgreSQL 15 are not on the volume"],
  ["newer files would be overwritten", "17", ["15", "17"], forward, "refused: the files of PostgreSQL 15"],
];

for (const [what, data, kept, exchange, plan] of returns) {
  test(`on the way back: ${what}`, () => {
    assert.ok(wordsOf(planOfReturn(found(data, kept, exchange), majors)).startsWith(plan));
  });
}

test("a way back that is broken off anywhere is undone by the same, the other way round", () => {
  const there = { from: majors.to, to: majors.from };
  const states: readonly (readonly [data: string | undefined, kept: readonly string[], plan: string])[] = [
    ["17", ["15"], "done"],
    [undefined, ["15", "17"], "exchange nothing for kept"],
    ["15", ["17"], "exchange 15 for kept"],
  ];
  for (const [data, kept, plan] of states)
    for (const note of [forward, back]) assert.equal(wordsOf(planOfReturn(found(data, kept, note), there)), plan);
});
