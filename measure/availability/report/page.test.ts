import assert from "node:assert/strict";
import test from "node:test";
import { isCurrent } from "./page-file";
import { pageOf, verdictOn } from "./page";
import type { Result } from "./results";

const result = (more: Partial<Result> = {}): Result => ({
  ...{ engine: "postgresql", fault: "kill", mode: "operator stopped", replication: "asynchronous" },
  ...{ version: "17.6", members: 3, date: "2026-01-02", commit: "abc1234", tries: 5, failed: 0 },
  ...{ outage_p50_s: 1.94, outage_max_s: 2.36, client_max_s: 2.5, whole_max_s: 12 },
  ...{ acked: 12_345, lost: 0, lossy_tries: 0, unknown: 4, unknown_found: 1, refused: 2, two_writers: 0 },
  ...more,
});

const rowOf = (text: string): string => text.split("\n").find((line) => line.startsWith("| `kill` | a")) ?? "";

test("docs/availability.md matches the recorded results; if not, `tsx measure/availability/main.ts --page` writes it", async () => {
  assert.ok(await isCurrent());
});

test("a line of results is a row with the goal beside the figure", () => {
  const row = rowOf(pageOf([result()]));
  assert.equal(
    row,
    "| `kill` | asynchronous | stopped | 5 | 1.9 s | 2.4 s | ≤ 5 s | 2.5 s | 12345 | 0 | 0 | not taken | not taken | reached |",
  );
});

test("a missed goal is reported, and so is a try that did not end", () => {
  assert.equal(verdictOn(result({ outage_max_s: 5.1 })), "**outage too long**");
  assert.equal(verdictOn(result({ failed: 2 })), "**not back in time**");
  assert.match(rowOf(pageOf([result({ failed: 2 })])), /\| 5 \(and 2 failed\) \|/);
});

test("lost rows break the promise where commits wait, and after a full outage; elsewhere they are described", () => {
  assert.equal(verdictOn(result({ lost: 3, lossy_tries: 1 })), "reached");
  assert.equal(verdictOn(result({ lost: 3, replication: "synchronous" })), "**rows lost**");
  assert.equal(verdictOn(result({ lost: 3, replication: "group" })), "**rows lost**");
  assert.equal(verdictOn(result({ lost: 3, fault: "all-killed" })), "**rows lost**");
  assert.match(
    pageOf([result({ lost: 3, lossy_tries: 1 })]),
    /In these 5 tries 3 of 12345 were lost, in 1 of the tries\./,
  );
  assert.match(pageOf([result()]), /In these 5 tries none was lost, which is no promise\./);
  assert.match(pageOf([result(), result({ fault: "all-killed" })]), /waits for the former primary, for up to 25 s/);
  assert.doesNotMatch(pageOf([result({ lost: 3 })]), /waits for the former primary/);
});

test("two writable members break the promise of a member that is cut off", () => {
  assert.equal(verdictOn(result({ fault: "cut-off", two_writers: 1 })), "**two writers**");
  assert.match(rowOf(pageOf([result({ two_writers: 1 })])), /\| 1 \| not taken \| not taken \| reached \|$/);
});

test("anomalies are listed, none with how much was checked, and lines from before the check say so", () => {
  const lists = { transactions: 900, anomalies: [] };
  assert.match(rowOf(pageOf([result({ lists })])), /\| none in 900 \| reached \|$/);
  assert.match(rowOf(pageOf([result()])), /\| not taken \| reached \|$/);
  const some = { transactions: 900, anomalies: ["lost" as const, "G-single-realtime" as const] };
  assert.match(rowOf(pageOf([result({ lists: some })])), /\| `lost`, `G-single-realtime` \| reached \|$/);
  assert.equal(verdictOn(result({ lists: some, replication: "synchronous" })), "**anomalies**");
  assert.equal(verdictOn(result({ lists, replication: "synchronous" })), "reached");
});

test("new connections are counted with what became of them; one that read less than was acknowledged breaks the promise", () => {
  const connections = { opened: 412, refused: 12, hung: 3, stale: 0 };
  assert.match(
    rowOf(pageOf([result({ connections })])),
    /\| 412: 12 refused, 3 hung, 0 stale \| not taken \| reached \|$/,
  );
  const stale = { ...connections, stale: 1 };
  assert.equal(verdictOn(result({ connections: stale, replication: "synchronous" })), "**stale reads**");
  assert.equal(verdictOn(result({ connections: stale })), "reached");
});

test("Databases with two members have a table of their own", () => {
  const page = pageOf([result(), result({ members: 2, fault: "frozen", outage_max_s: 9 })]);
  assert.match(page, /\| `kill` [^]*With two members:\n\n[^\n]*\n[^\n]*\n\| `frozen` /);
  assert.match(page, /Not measured yet: [^\n]*`frozen` \(asynchronous/);
  assert.doesNotMatch(pageOf([result()]), /With two members:/);
});

test("what was not measured is listed: a whole engine, or single kinds of tries", () => {
  const page = pageOf([result()]);
  assert.match(page, /## MySQL\n\nNot measured yet\./);
  assert.match(page, /Not measured yet: .*`minor-upgrade` \(asynchronous, operator running\)/);
  assert.doesNotMatch(page, /Not measured yet: .*`kill` \(asynchronous, operator stopped\)/);
});

test("a row with few tries says so", () => {
  assert.match(
    pageOf([result(), result({ fault: "frozen", tries: 2 })]),
    /Rows with fewer than 5 tries are a first look/,
  );
  assert.doesNotMatch(pageOf([result()]), /first look/);
});
