import assert from "node:assert/strict";
import test from "node:test";
import { everyStory, story, type AcceptanceCase } from "../acceptance/case";
import { isCurrent } from "./page-file";
import { pageOf, type Recorded } from "./page";
import type { CostResult, StepResult } from "./results";

const recorded = (more: Partial<Recorded> = {}): Recorded => ({
  ...{ rotation: {}, proofs: new Map(), steps: [], costs: [] },
  ...more,
});

const common = {
  scenario: "postgresql-s3",
  version: "17.6",
  asked_gib: 1,
  date: "2026-11-26",
  commit: "abc1234",
  load: 3,
} as const;

const step = (more: Partial<StepResult> = {}): StepResult => ({
  ...{ ...common, step: "restore", killed: "nothing", bytes: 1.25 * 1024 ** 3 },
  ...{ program_s: 31, ready_s: 42.4, acked: 1_050_000, lost: 0 },
  ...more,
});

const cost = (more: Partial<CostResult> = {}): CostResult => ({
  ...{ ...common, bytes: 1.2e9, restored_bytes: 1.3e9, backup_s: 20, bare_backup_s: 19, bare_copy_s: 12 },
  ...{ restore_s: 30, bare_restore_s: 24, tps_without: 1200, tps_with: 700 },
  ...more,
});

const one: AcceptanceCase = {
  ...{ number: 7, promise: "It holds.", engines: ["postgresql", "mysql"], open: "the rest" },
  heldBy: [story("restore", "a test", "pod"), everyStory("mysql", "another test")],
};

const rowOf = (text: string, start: string): string => text.split("\n").find((line) => line.startsWith(start)) ?? "";

test("docs/backups.md matches what is on record; if not, `make generate` writes it", async () => {
  assert.ok(await isCurrent());
});

test("a case is a row with its result, what is killed, and what no test holds", () => {
  const passed = { commit: "8a686c2160771334", date: "2026-11-25T07:20:27Z", content: "x" };
  assert.equal(
    rowOf(pageOf([one], recorded({ rotation: { restore: passed } })), "| 7"),
    "| 7 | It holds. | PostgreSQL, MySQL | passed; 2026-11-25, 8a686c2 | pod | the rest |",
  );
  assert.match(rowOf(pageOf([one], recorded()), "| 7"), /\| \*\*not run\*\* \|/);
});

test("cases are counted by how they stand, and what is not supported says so", () => {
  const page = pageOf([one, { ...one, number: 8, heldBy: [] }], recorded());
  assert.match(page, /Of 2 cases \*\*0 passed, .* 1 not run, 1 not supported\*\*/);
  assert.match(rowOf(page, "| 8"), /\| \*\*not supported\*\* \|/);
  assert.doesNotMatch(page, /\*\*8\*\*/);
});

test("each test that holds a case is listed with its own result", () => {
  const page = pageOf([one], recorded());
  assert.match(page, /- `test\/e2e\/stories\/restore\.ts`: “a test”: \*\*not run\*\*/);
  assert.match(page, /- `test\/e2e\/stories\/mysql\.ts`: “another test”: each run/);
});

test("steps are rows in the order of their scenarios, and a lost row stands out", () => {
  const page = pageOf([], recorded({ steps: [step({ killed: "pod", lost: 2 }), step()] }));
  const rows = page.split("\n").filter((line) => line.startsWith("| PostgreSQL"));
  assert.deepEqual(rows, [
    "| PostgreSQL | object storage | restore of the newest |  | 1.3 GiB |  | 31 s | 42 s | 1050000 | 0 |",
    "| PostgreSQL | object storage | restore of the newest | pod of the Job | 1.3 GiB |  | 31 s | 42 s | 1050000 | **2** |",
  ]);
});

test("a backup says what it stored, and shows no row", () => {
  const { acked, lost, ready_s, ...rest } = step({ step: "backup", stored_bytes: 512 * 1024 ** 2 });
  assert.deepEqual([acked, lost, ready_s], [1_050_000, 0, 42.4]);
  assert.equal(
    rowOf(pageOf([], recorded({ steps: [rest] })), "| PostgreSQL"),
    "| PostgreSQL | object storage | backup |  | 1.3 GiB | 512 MiB | 31 s |  |  |  |",
  );
});

test("rates stand beside those of the bare tools, with the goal", () => {
  const page = pageOf([], recorded({ costs: [cost()] }));
  assert.match(page, /\| backup \| 1\.1 GiB \| 60 MB\/s \(20 s\) \| 63 MB\/s \(19 s\) \| 0\.95 \| reached \|/);
  assert.match(
    page,
    /\| restore \| 1\.2 GiB \| 43 MB\/s \(30 s\) \| 54 MB\/s \(24 s\) \| 0\.80 \| \*\*below the goal\*\* \|/,
  );
  assert.match(page, /the copy alone 100 MB\/s \(12 s\)/);
});

test("the load on clients is a share, and the archive's lag is told where there is one", () => {
  const archive = { every_s: 10, median_s: 1.25, max_s: 12.4, written_mb_s: 20 };
  const page = pageOf([], recorded({ costs: [cost({ archive }), cost({ scenario: "mysql-volume" })] }));
  assert.match(page, /\| PostgreSQL \| object storage \| 1200\/s \| 700\/s \| 0\.58 \|/);
  assert.match(page, /20\.0 MB of rows .* after 1\.3 s \(median\) and 12 s at most/);
  assert.equal(page.match(/\*\*Archive\.\*\*/g)?.length, 1);
});

test("what else the machine did is told", () => {
  assert.match(pageOf([], recorded({ steps: [step()] })), /with abc1234; the load average of the machine was 3\.$/m);
  const page = pageOf([], recorded({ costs: [cost({ load: 2.4 }), cost({ load: 80, scenario: "mysql-volume" })] }));
  assert.match(page, /the load average of the machine was 2 to 80\.$/m);
  assert.match(pageOf([], recorded({ steps: [step({ load: undefined })] })), /was not noted\.$/m);
});

test("without any line the page says that nothing is measured", () => {
  assert.equal(pageOf([], recorded()).match(/Not measured yet\./g)?.length, 2);
});
