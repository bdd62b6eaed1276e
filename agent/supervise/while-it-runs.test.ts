// Servers that are shell scripts.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../../test/harness/eventually";
import { cleanEnvironment } from "./run";
import { ServerEnded, whileItRuns, type PrivateProgram } from "./while-it-runs";

let directory: string;
let events: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "private-"));
  events = join(directory, "events");
});
afterEach(() => rm(directory, { recursive: true }));

/** It notes that it began, and ends with `code` when it is asked to. It answers once it has begun. */
const server = (code = 0): PrivateProgram => ({
  command: "bash",
  args: [
    "-c",
    `trap 'echo ended >>"$1"; exit ${code}' TERM; echo $$ >"$1"; while :; do sleep 0.05; done`,
    "it",
    events,
  ],
  environment: cleanEnvironment(),
  ask: async () => {
    assert.match(await readFile(events, "utf8"), /\n/);
  },
});

test("what a server complained of last is in the error of the work that failed", async () => {
  const complaining: PrivateProgram = {
    ...server(),
    args: [
      "-c",
      `echo "[ERROR] one" >&2; echo "[ERROR] no room" >&2; echo later >&2; echo $$ >"$1"; sleep 60`,
      "it",
      events,
    ],
    isComplaint: (line) => line.startsWith("[ERROR]"),
  };
  const work = whileItRuns(complaining, async () => {
    await delay(300);
    throw new Error("the work failed");
  });
  await assert.rejects(work, /^Error: the work failed; its server said: \[ERROR\] no room$/);
});

test("so it is where the server ended, which is told as that", async () => {
  const complaining: PrivateProgram = {
    ...server(),
    args: ["-c", `echo "[ERROR] no room" >&2; sleep 0.3; exit 7`],
    isComplaint: (line) => line.startsWith("[ERROR]"),
  };
  const error: unknown = await whileItRuns(complaining, () => Promise.resolve()).catch((reason: unknown) => reason);
  assert.ok(error instanceof ServerEnded);
  assert.match(
    error.message,
    /^the private server does not start: it ended with 7; .*; its server said: \[ERROR\] no room$/,
  );
});

const noted = async (): Promise<string[]> => (await readFile(events, "utf8")).trim().split("\n");

const runs = async (): Promise<boolean> => {
  const [pid] = await noted();
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
};

const untilGone = (): Promise<void> =>
  eventually(async () => {
    assert.equal(await runs(), false);
  });

test("the work is done once it answers, and it has ended by itself when that is done", async () => {
  let isThere = false;
  await whileItRuns(server(), async () => {
    isThere = await runs();
  });
  assert.equal(isThere, true);
  assert.equal((await noted()).at(-1), "ended");
  assert.equal(await runs(), false);
});

test("one that does not start, or is not there, is told with what it last answered", async () => {
  const failing = { ...server(), args: ["-c", "sleep 0.3; exit 7"] };
  const work = (): Promise<void> => Promise.reject(new Error("it was worked with"));
  await assert.rejects(whileItRuns(failing, work), /the private server does not start: it ended with 7; .*ENOENT/);
  const missing = { ...server(), command: join(directory, "nothing") };
  await assert.rejects(whileItRuns(missing, work), /the private server does not start: .*ENOENT/);
});

test("one that does not end cleanly has not kept what was done", async () => {
  const work = (): Promise<void> => Promise.resolve();
  await assert.rejects(whileItRuns(server(3), work), /did not end cleanly: it ended with 3/);
});

test("nor has one that died meanwhile", async () => {
  const died = async (): Promise<void> => {
    process.kill(Number((await noted())[0]), "SIGKILL");
    await untilGone();
  };
  await assert.rejects(whileItRuns(server(), died), /did not end cleanly: it ended with SIGKILL/);
});

test("where the work fails that is told, and it does not stay", async () => {
  const failing = whileItRuns(server(), () => Promise.reject(new Error("a document was refused")));
  await assert.rejects(failing, /a document was refused/);
  await untilGone();
  assert.doesNotMatch(await readFile(events, "utf8"), /ended/);
});

test("where it ends while it is worked with, that is told, and by which signal", async () => {
  const crashed = async (): Promise<void> => {
    process.kill(Number((await noted())[0]), "SIGABRT");
    await untilGone();
    throw new Error("the connection was closed");
  };
  const ask = async (): Promise<void> => {
    assert.equal(await runs(), true);
  };
  const error: unknown = await whileItRuns({ ...server(), ask }, crashed).catch((reason: unknown) => reason);
  assert.ok(error instanceof ServerEnded);
  assert.equal(error.signal, "SIGABRT");
  assert.match(error.message, /ended meanwhile \(the connection was closed\): it ended with SIGABRT/);
});

test("one that neither answers nor ends any more is not waited for", { timeout: 20_000 }, async () => {
  let asked = 0;
  const ask = (): Promise<void> => (asked++ === 0 ? Promise.resolve() : new Promise(() => undefined));
  const failing = whileItRuns({ ...server(), ask }, () => Promise.reject(new Error("the statement timed out")));
  await assert.rejects(failing, /^Error: the statement timed out$/);
  await untilGone();
});

test("it ends at once where all is over", async () => {
  const over = new AbortController();
  const working = whileItRuns({ ...server(), over: over.signal }, async () => {
    over.abort();
    await untilGone();
    throw new Error("the connection was closed");
  });
  await assert.rejects(working, /SIGKILL/);
});
