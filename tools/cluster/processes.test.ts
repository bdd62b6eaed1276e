import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { identityOf } from "../host/identity";
import { waitFor } from "../host/wait";
import { type Layout, layoutOf } from "./layout";
import { openProcesses, type Processes } from "./processes";

let layout: Layout;
let processes: Processes;

before(async () => {
  layout = layoutOf(await mkdtemp(join(tmpdir(), "processes-")));
  processes = openProcesses(layout);
});
after(async () => {
  await processes.stopAll();
  await rm(layout.directory, { recursive: true });
});

const sleeper = (name: string): void => {
  processes.start({ name, command: "sleep", args: ["600"] });
};
const recordOf = (name: string): string => join(layout.processes, `${name}.json`);

test("a started process is found by later commands, and started only once", () => {
  sleeper("once");
  const pid = processes.pid("once");
  assert(pid !== undefined);
  sleeper("once");
  assert.equal(openProcesses(layout).pid("once"), pid);
});

test("a stopped process is gone when stop returns", async () => {
  sleeper("stopped");
  const pid = processes.pid("stopped") ?? 0;
  await processes.stop("stopped");
  assert.equal(identityOf(pid), undefined);
  assert(!processes.names().includes("stopped"));
});

test("another process that got the ID of a dead one is left alone", async () => {
  sleeper("stranger");
  const pid = processes.pid("stranger") ?? 0;
  const record = await readFile(recordOf("stranger"), "utf8");
  await writeFile(recordOf("stranger"), record.replace(/"started":"[^"]*"/, '"started":"some other time"'));
  assert.equal(processes.isRunning("stranger"), false);
  await processes.stop("stranger");
  assert.notEqual(identityOf(pid), undefined);
});

test("a process that ignores SIGTERM is killed after its grace", async () => {
  processes.start({
    name: "stubborn",
    command: "sh",
    args: ["-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"],
  });
  const ready = (): Promise<true | undefined> => Promise.resolve(processes.tail("stubborn") === "ready" || undefined);
  await waitFor(ready, { what: "the trap", timeoutSeconds: 10 });
  await processes.stop("stubborn", { graceSeconds: 0.2 });
  assert.equal(processes.isRunning("stubborn"), false);
});

test("a program that does not exist is an error at once", () => {
  assert.throws(() => {
    processes.start({ name: "none", command: "/no/such/program", args: [] });
  }, /none did not start: \/no\/such\/program/);
});

test("nothing of the environment is passed on but what programs need", async () => {
  process.env["PROCESSES_TEST_SECRET"] = "secret";
  // it does not end by itself: what has ended before it was seen running counts as not started
  processes.start({
    name: "environment",
    command: "sh",
    args: ["-c", "env; echo all; sleep 600"],
    env: { OWN: "own" },
  });
  const isAll = (): Promise<true | undefined> =>
    Promise.resolve(processes.tail("environment", 1) === "all" || undefined);
  await waitFor(isAll, { what: "env", timeoutSeconds: 10 });
  const printed = processes.tail("environment", 100);
  assert.match(printed, /^OWN=own$/m);
  assert.match(printed, /^PATH=/m);
  assert.doesNotMatch(printed, /PROCESSES_TEST_SECRET/);
});

test(
  "stopAll ends what started programs started themselves, also when the record is lost",
  { skip: process.platform !== "linux" },
  async () => {
    // setsid leaves the process group, as daemons do
    const pidFile = join(layout.directory, "daemon.pid");
    const script = `setsid sh -c 'echo $$ >${pidFile}; exec sleep 600' & wait`;
    processes.start({ name: "parent", command: "sh", args: ["-c", script] });
    const pidOf = async (): Promise<number | undefined> =>
      existsSync(pidFile) ? Number(await readFile(pidFile, "utf8")) || undefined : undefined;
    const daemon = await waitFor(pidOf, { what: "the daemon", timeoutSeconds: 10 });
    sleeper("lost");
    const lost = processes.pid("lost") ?? 0;
    await rm(recordOf("lost"));
    await processes.stopAll();
    assert.equal(identityOf(daemon), undefined);
    assert.equal(identityOf(lost), undefined);
  },
);
