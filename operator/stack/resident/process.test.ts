import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { defaultLimits, Generations } from "./generations";
import { ResidentGone, ResidentProcess } from "./process";
import type { RunCall } from "./protocol";

const patience = { startMs: 5000, pingEveryMs: 50, silenceMs: 500, endMs: 1000 };

const start = (passphrase: string | Promise<string> = ""): Promise<ResidentProcess> =>
  ResidentProcess.start({
    program: process.execPath,
    args: [join(__dirname, "stand-in.mjs")],
    directory: tmpdir(),
    environment: {},
    passphrase,
    onLog: () => undefined,
    patience,
  });

const call = (stack: string): RunCall => ({
  operation: "up",
  project: "databases",
  stack,
  checkpoint: '{"version":3}',
  salt: "",
  program: "",
  refresh: false,
  details: false,
});

const nothing = (): void => undefined;

test("a run's events and end reach its caller", async () => {
  const resident = await start();
  const events: unknown[] = [];
  const { done } = resident.run(call("good"), (event) => events.push(event));
  assert.deepEqual(await done, { result: "succeeded", message: "", checkpoint: '{"version":3}' });
  assert.deepEqual(events, [{ cancelEvent: {} }]);
  assert.equal(resident.version, "3.258.0");
  await resident.close();
  assert(resident.isGone);
});

test("the key may come when the process has started, and without one it ends", async () => {
  const key = Promise.withResolvers<string>();
  const later = start(key.promise);
  const refused = start(Promise.reject(new Error("no rights")));
  await assert.rejects(refused, /no rights/);
  key.resolve("");
  const resident = await later;
  assert.equal((await resident.run(call("good"), nothing).done).result, "succeeded");
  await resident.close();
});

test("a run that is cancelled still answers, with the state that it left", async () => {
  const resident = await start();
  const run = resident.run(call("waits"), nothing);
  run.cancel("graceful");
  assert.deepEqual(await run.done, { result: "cancelled", message: "graceful", checkpoint: '{"version":3}' });
  await resident.close();
});

test("a run that is waited for no longer is in the way of neither the end of its process nor other runs", async () => {
  const resident = await start();
  const run = resident.run(call("waits"), nothing);
  run.abandon();
  await assert.rejects(run.done, ResidentGone);
  run.cancel("forced");
  assert.equal((await resident.run(call("good"), nothing).done).result, "succeeded");
  await resident.close();
  assert(resident.isGone);
});

for (const how of ["dies", "freezes", "babbles"]) {
  test(`a process that ${how} in mid-run: all its runs reject, and further ones too`, async () => {
    const resident = await start();
    const runs = [resident.run(call("waits"), nothing).done, resident.run(call(how), nothing).done];
    for (const ended of await Promise.allSettled(runs)) {
      assert(ended.status === "rejected" && ended.reason instanceof ResidentGone, ended.status);
    }
    await resident.ended;
    await assert.rejects(resident.run(call("good"), nothing).done, ResidentGone);
  });
}

test("a process that ends at once is gone, not waited for", async () => {
  await assert.rejects(start("dies at once"), /ended at once/);
});

test("a missing program is gone too", async () => {
  const options = { directory: tmpdir(), environment: {}, passphrase: "", onLog: nothing };
  await assert.rejects(ResidentProcess.start({ ...options, program: "/nowhere/pulumi-resident" }), ResidentGone);
});

test("after so many runs another process takes the next, and the previous one ends once its runs have", async () => {
  const generations = new Generations(() => start(), { ...defaultLimits, runs: 2 });
  const first = await generations.current();
  const waiting = first.run(call("waits"), nothing);
  await first.run(call("good"), nothing).done;
  const second = await generations.current();
  assert.notEqual(second, first);
  assert(!first.isGone);
  waiting.cancel("graceful");
  await waiting.done;
  await first.ended;
  await generations.close();
  assert(second.isGone);
});

test("a process whose memory has grown is replaced", async () => {
  const generations = new Generations(() => start(), { ...defaultLimits, rss: 1e8 });
  const first = await generations.current();
  const waiting = first.run(call("waits"), nothing);
  const deadline = AbortSignal.timeout(5000);
  while (first.rss === 0 && !deadline.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
  waiting.cancel("graceful");
  await waiting.done;
  assert.notEqual(await generations.current(), first);
  await generations.close();
});

test("where none can be started the next call tries again", async () => {
  let attempts = 0;
  const generations = new Generations(() => {
    attempts++;
    return attempts === 1 ? Promise.reject(new ResidentGone("not now")) : start();
  });
  await assert.rejects(generations.current(), ResidentGone);
  await generations.current();
  await generations.close();
});

test("of several callers that find the process spent, one starts the next", async () => {
  const started: ResidentProcess[] = [];
  const generations = new Generations(
    async () => {
      started.push(await start());
      return started.at(-1) ?? assert.fail();
    },
    { ...defaultLimits, runs: 1 },
  );
  try {
    const first = await generations.current();
    await first.run(call("good"), nothing).done;
    const [second, ...others] = await Promise.all([1, 2, 3].map(() => generations.current()));
    for (const other of others) assert.equal(other, second);
    assert.deepEqual(started, [first, second]);
    await generations.close();
    for (const process of started) assert(process.isGone);
  } finally {
    for (const process of started) process.kill();
  }
});
