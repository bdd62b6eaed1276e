// Each case of docs/reliability.md has one test, and only cases have; results are counted and kept as the page says.
import assert from "node:assert/strict";
import test from "node:test";
import { area, testNameOf, type Case } from "./case";
import { reliabilityPage } from "./page";
import { allCases, allProofs, proofsIn, proofsOf } from "./proofs";
import { CaseRecord } from "./record";
import { mergeResults } from "./results";

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
    const head = 'import { sample as cases } from "../reliability/cases/sample";\n';
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
  const end = (name: string, nesting: number, more = {}): void => {
    record.ended("passed", { name, nesting, ...more });
  };
  end("one", 1);
  end("deep", 2);
  end("two", 1);
  end(testNameOf(first), 0);
  end(testNameOf(second), 0, { skip: "no root" });
  assert.deepEqual(Object.fromEntries(record.results), {
    [first.id]: { result: "passed", subcases: 2 },
    [second.id]: { result: "skipped", subcases: 0 },
  });
});

test("a case whose file ended without a word of it has failed", async () => {
  const record = await CaseRecord.open();
  const [proof] = allProofs();
  assert.ok(proof);
  record.filesEnded([`/project/${proof.file}`], "/project");
  assert.ok(record.results.size > 0);
  assert.ok([...record.results.values()].every(({ result }) => result === "failed"));
});

test("a slice that passed does not hide the whole run before it, but a failure does", () => {
  const whole = new Map([["a", { result: "passed", subcases: 100 } as const]]);
  const slice = new Map([["a", { result: "passed", subcases: 5 } as const]]);
  const failure = new Map([["a", { result: "failed", subcases: 5 } as const]]);
  assert.deepEqual(mergeResults(whole, slice, false), whole);
  assert.deepEqual(mergeResults(whole, slice, true), slice);
  assert.deepEqual(mergeResults(whole, failure, false), failure);
  assert.deepEqual(mergeResults(failure, slice, false), slice);
});

test("the page shows each case with its result, whatever characters it has", () => {
  const page = reliabilityPage(
    Object.values(sample),
    new Map([["api-server.stopped", { result: "passed", subcases: 3 }]]),
  );
  assert.match(page, /\| it is stopped \| SIGKILL \| it is waited for \| passed, 3 sub-cases \|/);
  assert.match(page, /\| an answer \\\| is lost \| a proxy \| nothing is done twice \| not run yet \|/);
  assert.match(page, /1 of 2 cases passed/);
});
