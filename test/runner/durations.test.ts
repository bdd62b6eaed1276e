import assert from "node:assert/strict";
import test from "node:test";
import { stripVTControlCharacters } from "node:util";
import { durationsOf, longestFilesFirst, withLeftOut, type Timings } from "./durations";
import { bar, durationsText } from "./durations-text";
import type { TestEnd } from "./events";

const end = (file: string, name: string, ms: number, more: Partial<TestEnd> = {}): TestEnd => ({
  ...{ file, name, ms, nesting: 0, isSuite: false, result: "passed", ...more },
});
const [slow, quick] = ["test/cluster/slow.test.ts", "operator/quick.test.ts"];
const timings: Timings = {
  suites: [
    { suite: "unit", ms: 2000 },
    { suite: "cluster", ms: 60_000 },
  ],
  checks: [{ check: "types are right", ms: 900 }],
  files: [
    { file: quick, suite: "unit", ms: 500, ends: [end(quick, "it is so", 400)] },
    {
      ...{ file: slow, suite: "cluster", ms: 60_000 },
      ends: [
        end(slow, "first", 25_000),
        end(slow, "within", 9000, { nesting: 1 }),
        end(slow, "suite", 30_000, { isSuite: true }),
      ],
    },
  ],
  notes: [
    { kind: "started", file: slow, ms: 21_000, hooksMs: 20_000 },
    { kind: "phase", file: slow, name: "pulumi up", ms: 8000 },
    { kind: "phase", file: slow, name: "pulumi up", ms: 4000 },
    { kind: "rotating", file: slow, group: "cut-off", tests: 1, isHere: true },
  ],
};
const durations = durationsOf(timings, { commit: "c", date: "d", cores: 2, node: "v24", ms: 62_000 });

test("files that were left for other commits stay known, those that are gone do not", () => {
  const known = (file: string): (typeof durations.files)[number] => ({ file, suite: "cluster", seconds: 5, tests: 1 });
  const before = { ...durations, files: [known("left"), known("gone"), { ...known(slow), seconds: 99 }] };
  const { files } = withLeftOut(durations, before, new Set(["left", slow]));
  assert.deepEqual(
    files.map(({ file, seconds }) => [file, seconds]),
    [
      [slow, 60],
      ["left", 5],
      [quick, 0.5],
    ],
  );
});

test("durations are summed up by suite, file and phase, the longest first", () => {
  assert.deepEqual(durations.suites, [
    { suite: "unit", seconds: 2, files: 1, tests: 1 },
    { suite: "cluster", seconds: 60, files: 1, tests: 2 },
  ]);
  assert.deepEqual(durations.files, [
    { file: slow, suite: "cluster", seconds: 60, startUp: 21, tests: 2 },
    { file: quick, suite: "unit", seconds: 0.5, tests: 1 },
  ]);
  assert.deepEqual(durations.phases, [{ phase: "pulumi up", seconds: 12, times: 2 }]);
  assert.equal(durations.total, 62);
});

test("the first test of a file does not count what the whole file waited for", () => {
  assert.deepEqual(durations.slowest, [
    { file: slow, test: "within", seconds: 9 },
    { file: slow, test: "first", seconds: 5 },
    { file: quick, test: "it is so", seconds: 0.4 },
  ]);
});

test("the summary shows suites, steps, files with the share of their start-up, and tests", () => {
  const lines = durationsText(durations).map(stripVTControlCharacters);
  assert.ok(lines.includes("  1m00s ▒▒▒▒▒▒██████████ 35 % test/cluster/slow.test.ts"), lines.join("\n"));
  assert.ok(lines.includes("  12.0s ████████████████ pulumi up 2 times"), lines.join("\n"));
  assert.ok(lines.some((line) => line.includes("within test/cluster/slow.test.ts")));
  assert.deepEqual(durationsText({ ...durations, suites: [] }), []);
});

test("a bar is as wide whatever it shows", () => {
  for (const [share, marked] of [
    [0, 0],
    [0.001, 1],
    [0.5, 0.5],
    [1, 1],
  ] as const)
    assert.equal(bar(share, marked).length, bar(1).length);
});

test("files run the longest first, and new ones before all others", () => {
  const files = ["/p/operator/quick.test.ts", "/p/new.test.ts", "/p/test/cluster/slow.test.ts"];
  assert.deepEqual(longestFilesFirst(files, "/p", durations), [files[1], files[2], files[0]]);
  assert.deepEqual(longestFilesFirst(files, "/p", undefined), files);
});
