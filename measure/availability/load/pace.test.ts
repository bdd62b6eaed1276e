import assert from "node:assert/strict";
import test from "node:test";
import { paceOf, startPace } from "./pace";

test("the pace is how many times longer starts took than the processor worked on them, and never less than 1", () => {
  assert.equal(paceOf([]), 1);
  assert.equal(paceOf([{ wallMs: 30, cpuMs: 40 }]), 1);
  assert.equal(paceOf([{ wallMs: 100, cpuMs: 40 }, { wallMs: 380, cpuMs: 40 }]), 6); // prettier-ignore
});

test("it is measured at once, however soon it is asked for", async () => {
  const pace = await startPace().stop();
  assert.ok(pace >= 1 && Number.isFinite(pace), `${pace}`);
});
