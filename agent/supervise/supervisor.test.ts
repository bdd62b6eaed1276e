import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { eventually } from "../../test/harness/eventually";
import { Supervisor } from "./supervisor";

/** A server that is a Node script, by the number of its start, counted from 1. */
function supervised(
  t: TestContext,
  scriptOf: (start: number) => string,
): { readonly supervisor: Supervisor; readonly starts: () => number } {
  let starts = 0;
  const supervisor = new Supervisor(() => {
    starts += 1;
    const args = ["-e", scriptOf(starts)];
    const isComplaint = (line: string): boolean => line.startsWith("complaint");
    return Promise.resolve({ command: process.execPath, args, environment: {}, restartCode: 16, isComplaint });
  });
  supervisor.start(() => undefined);
  t.after(() => supervisor.stop());
  return { supervisor, starts: () => starts };
}

test("a server that asks for a restart is started again, and that is not a failure", async (t) => {
  const { supervisor, starts } = supervised(t, () => "process.exit(16)");
  await eventually(() => {
    assert.ok(starts() > 2);
  });
  assert.equal(supervisor.failures, 0);
});

test("a restart that the server asks for clears earlier failures", async (t) => {
  // two starts fail, two ask for another one, and the last keeps running
  const scripts = ["process.exit(1)", "process.exit(1)", "process.exit(16)", "process.exit(16)"];
  const { supervisor, starts } = supervised(t, (start) => scripts[start - 1] ?? "setInterval(() => 0, 1000)");
  await eventually(() => {
    assert.equal(starts(), 5);
  });
  assert.equal(supervisor.failures, 0);
});

test("a server that fails is started again, and its last complaint is known until then", async (t) => {
  const { supervisor, starts } = supervised(
    t,
    () => 'console.error("complaint: no space"); setTimeout(() => process.exit(1), 50)',
  );
  await eventually(() => {
    assert.ok(starts() > 1 && supervisor.failures > 0);
  });
  await eventually(() => {
    assert.equal(supervisor.complaint, "complaint: no space");
  });
});

test("a server that is killed is started again", async (t) => {
  const { supervisor, starts } = supervised(
    t,
    (start) =>
      `${start === 1 ? 'process.on("SIGTERM", () => 0);' : ""} console.error("complaint: ${start}"); setInterval(() => 0, 1000)`,
  );
  await eventually(() => {
    assert.equal(supervisor.complaint, "complaint: 1");
  });
  supervisor.kill();
  await eventually(() => {
    assert.equal(supervisor.complaint, "complaint: 2");
  });
  assert.equal(starts(), 2);
});

test("a server that is stopped ends cleanly, and is not started again", async (t) => {
  const { supervisor, starts } = supervised(
    t,
    () => 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => 0, 1000)',
  );
  await eventually(() => {
    assert.equal(starts(), 1);
  });
  await supervisor.stop();
  assert.equal(starts(), 1);
});
