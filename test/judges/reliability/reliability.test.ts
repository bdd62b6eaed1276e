// Each case of docs/reliability.md has one test, and only cases have; results are counted and kept as the page says.
import assert from "node:assert/strict";
import test from "node:test";
import { area, testNameOf, type Case } from "./case";
import { reliabilityPage } from "./page";
import { allCases, allProofs, proofsIn, proofsOf } from "./proofs";
import { CaseRecord, resultOf } from "./record";
import { mergeResults, type Result, type Results } from "./results";
import { wholeShard } from "../../runner/shard";

const everyCase = async (): Promise<Case[]> =>
  [...(await allCases()).values()].flatMap((ofFile) => [...ofFile.values()]);

test("each case is proven by exactly one test", async () => {
  const wrong = [...proofsOf(await allCases(), allProofs())].filter(([, files]) => files.length !== 1);
  assert.deepEqual(Object.fromEntries(wrong), {});
});

test("each test of a case is about one that exists", async () => {
  const cases = await allCases();
  const unknown = allProofs().filter(({ source, key }) => key !== undefined && !cases.get(source)?.has(key));
  assert.deepEqual(unknown, []);
});

test("no two cases have the same id or the same test name", async () => {
  const cases = await everyCase();
  for (const values of [cases.map(({ id }) => id), cases.map(testNameOf)]) {
    assert.deepEqual(
      values.filter((value, index) => values.indexOf(value) !== index),
      [],
    );
  }
});

const sample = area("API server", {
  stopped: { title: "it is stopped", provoked: "SIGKILL", expected: "it is waited for" },
  lost: { title: "an answer | is lost", provoked: "a proxy", expected: "nothing is done twice" },
});

test("cases of an area have its name in their ids", () => {
  assert.deepEqual([sample.stopped.id, sample.lost.id], ["api-server.stopped", "api-server.lost"]);
});

test("proofs are found in sources, by whatever name cases are imported", () => {
  const found = (body: string): (string | undefined)[] => {
    const head = 'import { sample as cases } from "../judges/reliability/cases/sample";\n';
    return proofsIn("a.test.ts", head + body).map(({ source, key }) => `${source}/${key ?? "*"}`);
  };
  assert.deepEqual(found("proves(cases.stopped, async () => {});"), ["sample/stopped"]);
  assert.deepEqual(found("for (const which of [cases.stopped, cases.lost]) proves(which, body);"), [
    "sample/stopped",
    "sample/lost",
  ]);
  assert.deepEqual(found("proves(cases[which], body)"), ["sample/*"]);
  assert.deepEqual(found("for (const which of Object.values(cases)) proves(which, body);"), ["sample/*"]);
  assert.deepEqual(found("// cases.stopped is hard\nother.cases.stopped; samples.stopped"), []);
});

test("a case that two tests prove, and one that none proves, are found", () => {
  const cases = new Map([["sample", new Map(Object.entries(sample))]]);
  const proof = { file: "a.test.ts", source: "sample", key: "stopped" };
  assert.deepEqual(Object.fromEntries(proofsOf(cases, [proof, { ...proof, file: "b.test.ts" }])), {
    "api-server.stopped": ["a.test.ts", "b.test.ts"],
    "api-server.lost": [],
  });
});

test("sub-cases are counted per case, and what was skipped is not passed", async () => {
  const [first, second] = await everyCase();
  assert.ok(first && second);
  const record = await CaseRecord.open();
  const end = (name: string, nesting: number, result: "passed" | "skipped" = "passed"): void => {
    record.ended({ name, nesting, result });
  };
  end("one", 1);
  end("deep", 2);
  end("two", 1);
  end(testNameOf(first), 0);
  end(testNameOf(second), 0, "skipped");
  assert.deepEqual(Object.fromEntries(record.results), {
    [first.id]: { result: "passed", subcases: 2 },
    [second.id]: { result: "skipped", subcases: 0 },
  });
});

test("a case whose file ended without a result for it has failed", async () => {
  const record = await CaseRecord.open();
  const [proof] = allProofs();
  assert.ok(proof);
  record.filesEnded([proof.file]);
  assert.ok(record.results.size > 0);
  assert.ok([...record.results.values()].every(({ result }) => result === "failed"));
});

const when = (commit: string, subcases: number): Pick<Result, "commit" | "date" | "subcases"> => ({
  ...{ commit, date: "2026-11-23", subcases },
});
const merged = (...results: readonly Result[]): Result | undefined =>
  results.reduce<Results>((before, result) => mergeResults(before, new Map([["a", result]])), new Map()).get("a");

test("a slice that passed does not hide the whole run before it, but a failure does", () => {
  const whole: Result = { result: "passed", extent: "full", ...when("1", 100) };
  const slice: Result = { result: "passed", extent: "slice", ...when("2", 5) };
  const failure: Result = { result: "failed", extent: "slice", ...when("3", 5) };
  assert.deepEqual(merged(whole, slice), whole);
  assert.deepEqual(merged(slice, whole), whole);
  assert.deepEqual(merged(whole, failure), failure);
  assert.deepEqual(merged(failure, slice), slice);
});

const shard = (index: number, result: Result["result"] = "passed"): Result => {
  const at = when(`c${index}`, 10);
  return { result, extent: "slice", ...at, shards: { [`${index}/3`]: at } };
};

test("once all shards have passed the case has, in full, and each says at which commit", () => {
  assert.equal(merged(shard(1), shard(3))?.extent, "slice");
  const all = merged(shard(1), shard(3), shard(2));
  assert.deepEqual([all?.result, all?.extent, all?.subcases], ["passed", "full", 30]);
  const commits = Object.entries(all?.shards ?? {}).map(([name, { commit }]) => `${name} ${commit}`);
  assert.deepEqual(commits.sort(), ["1/3 c1", "2/3 c2", "3/3 c3"]);
});

test("a shard that failed keeps the case failed until that shard has passed", () => {
  assert.equal(merged(shard(1), shard(2, "failed"))?.result, "failed");
  assert.equal(merged(shard(1), shard(2, "failed"), shard(3))?.result, "failed");
  const mended = merged(shard(1), shard(2, "failed"), shard(3), shard(2));
  assert.deepEqual([mended?.result, mended?.extent], ["passed", "full"]);
});

test("what a run says of a case depends on whether it has slices, and whether shards take parts of it", () => {
  const [long, short] = [{ ...sample.stopped, slice: "one point" }, sample.lost];
  const ending = { result: "passed", subcases: 4 } as const;
  const sitting = { isWhole: false, shard: wholeShard, commit: "c", date: "2026-11-23" };
  assert.equal(resultOf(short, ending, sitting).extent, "full");
  assert.equal(resultOf(long, ending, sitting).extent, "slice");
  assert.equal(resultOf(long, ending, { ...sitting, isWhole: true }).extent, "full");
  const inShard = { ...sitting, isWhole: true, shard: { index: 2, of: 8 } };
  const part = resultOf({ ...long, inShards: true }, ending, inShard);
  assert.deepEqual([part.extent, Object.keys(part.shards ?? {})], ["slice", ["2/8"]]);
  const undivided = resultOf(long, ending, inShard);
  assert.deepEqual([undivided.extent, undivided.shards], ["full", undefined]);
});

test("the page shows each case with its result, whatever characters it has, and counts what was not run", () => {
  const page = reliabilityPage(
    Object.values(sample),
    new Map([["api-server.stopped", { result: "passed", extent: "full", ...when("abcdef0123", 3) }]]),
  );
  assert.match(page, /\| it is stopped \| SIGKILL \| it is waited for \| passed; 3 sub-cases; 2026-11-23, abcdef0 \|/);
  assert.match(page, /\| an answer \\\| is lost \| a proxy \| nothing is done twice \| not run \|/);
  assert.match(page, /\*\*1 passed, 0 failed, 1 not run\*\*/);
});
