import assert from "node:assert/strict";
import test from "node:test";
import { Progress } from "./progress";

const lsn = (segment: number): string => `0/${segment.toString(16).toUpperCase()}000000`;

test("a stream that brings something is not ended, however long it is behind", () => {
  const progress = new Progress(lsn(200), 0);
  const said = new Set<string | undefined>();
  for (let minute = 1; minute <= 60; minute++) {
    const at = minute * 20_000;
    said.add(progress.see(lsn(minute), lsn(200 + minute), at));
    assert.ok(!progress.isStandingStill(at), `${minute}`);
  }
  // each other text would be an event, and a reconcile
  assert.deepEqual([...said], ["what the primary wrote meanwhile is still on its way"]);
  assert.ok(!progress.hasArrived);
  assert.equal(progress.see(lsn(200), lsn(300), 1_200_000), undefined);
  assert.ok(progress.hasArrived);
});

test("one that brings nothing of what there is stands still; where there is nothing to bring it does not", () => {
  for (const arrived of [undefined, lsn(10)]) {
    const progress = new Progress(lsn(11), 0);
    progress.see(arrived, lsn(11), 1_000);
    progress.see(arrived, lsn(12), 29_000);
    assert.ok(!progress.isStandingStill(29_000));
    assert.match(progress.see(arrived, lsn(12), 32_000) ?? "", /nothing .* comes/);
    assert.ok(progress.isStandingStill(32_000));
  }
  const idle = new Progress(lsn(11), 0);
  for (let at = 0; at < 600_000; at += 20_000) assert.equal(idle.see(lsn(11), lsn(11), at), undefined);
  assert.ok(!idle.isStandingStill(600_000));
});

test("once all had come, that something is on its way is no news", () => {
  const progress = new Progress(lsn(11), 0);
  progress.see(lsn(11), lsn(20), 1_000);
  assert.equal(progress.see(lsn(12), lsn(30), 20_000), undefined);
  assert.equal(progress.see(lsn(20), lsn(30), 40_000), undefined);
});
