import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { freePorts, type PortRange } from "./ports";

async function rangeOf(t: TestContext): Promise<PortRange> {
  const claims = await mkdtemp(join(tmpdir(), "ports-"));
  t.after(() => rm(claims, { recursive: true }));
  // other runs of this test look at ports, too; a kubelet and its neighbors listen below
  const first = randomInt(11_000, 19_000);
  return { first, end: first + 2, claims };
}

/** Another process, which has taken both ports of the range. */
async function other(t: TestContext, { first, claims }: PortRange): Promise<ChildProcess> {
  const child = fork(join(__dirname, "ports-taker.ts"), [String(first), claims], { execArgv: ["--import", "tsx"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

test("no port is given twice", async (t) => {
  const range = await rangeOf(t);
  assert.deepEqual([...(await freePorts(range))].sort(), [range.first, range.first + 1]);
  await assert.rejects(freePorts(range), /found no free port between/);
});

test("what another process was given is its own while it lives, though nothing listens there yet", async (t) => {
  const range = await rangeOf(t);
  const child = await other(t, range);
  await assert.rejects(freePorts(range), /found no free port/);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal((await freePorts(range)).length, 2);
});

test("a process that ends leaves no claim behind", async (t) => {
  const range = await rangeOf(t);
  const child = await other(t, range);
  child.disconnect();
  await once(child, "exit");
  assert.deepEqual(await readdir(range.claims), []);
});
