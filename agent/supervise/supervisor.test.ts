import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../../test/harness/eventually";
import { Supervisor } from "./supervisor";

/** A server that is a script of Node; each start is counted. */
function supervised(script: string): { readonly supervisor: Supervisor; readonly starts: () => number } {
  let starts = 0;
  const supervisor = new Supervisor(() => {
    starts += 1;
    const args = ["-e", script];
    const isComplaint = (line: string): boolean => line.startsWith("complaint");
    return Promise.resolve({ command: process.execPath, args, environment: {}, restartCode: 16, isComplaint });
  });
  supervisor.start(() => undefined);
  return { supervisor, starts: () => starts };
}

test("a server that asks for it is started again, which is no failure", async () => {
  const { supervisor, starts } = supervised("process.exit(16)");
  await eventually(() => {
    assert.ok(starts() > 2);
  });
  assert.equal(supervisor.failures, 0);
  await supervisor.stop();
});

test("a server that fails is started again, and its last complaint is known until then", async () => {
  const { supervisor, starts } = supervised(
    'console.error("complaint: no space"); setTimeout(() => process.exit(1), 50)',
  );
  await eventually(() => {
    assert.ok(starts() > 1 && supervisor.failures > 0);
  });
  await eventually(() => {
    assert.equal(supervisor.complaint, "complaint: no space");
  });
  await supervisor.stop();
});

test("a server is ended in order, and not started again", async () => {
  const { supervisor, starts } = supervised('process.on("SIGTERM", () => process.exit(0)); setInterval(() => 0, 1000)');
  await eventually(() => {
    assert.equal(starts(), 1);
  });
  await supervisor.stop();
  assert.equal(starts(), 1);
});
