import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { ServerProcess } from "./process";

/** A data directory and processes beside it, as files. */
class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), "server-process-"));
  readonly sent: string[] = [];
  readonly data = join(this.directory, "data");
  readonly proc = join(this.directory, "proc");
  onSignal: (signal: string) => void = () => undefined;

  constructor(t: TestContext) {
    mkdirSync(this.data);
    mkdirSync(this.proc);
    t.after(() => {
      rmSync(this.directory, { recursive: true });
    });
  }

  get server(): ServerProcess {
    return new ServerProcess(this.data, {
      directory: this.proc,
      awaitEnd: () => Promise.resolve(false),
      send: (pid, signal) => {
        this.sent.push(`${signal} ${pid}`);
        this.onSignal(signal);
      },
    });
  }

  names(pid: string, status = "ready   "): this {
    const lines = [pid, this.data, "1700000000", "5432", "/run/postgresql", "*", " 1 2", status, ""];
    writeFileSync(join(this.data, "postmaster.pid"), lines.join("\n"));
    return this;
  }

  runs(pid: number, name: string, state = "S", started = 100): this {
    mkdirSync(join(this.proc, String(pid)), { recursive: true });
    writeFileSync(join(this.proc, String(pid), "comm"), `${name}\n`);
    const between = Array.from({ length: 18 }, () => "0").join(" ");
    writeFileSync(join(this.proc, String(pid), "stat"), `${pid} (a (b) c) ${state} ${between} ${started} 0\n`);
    return this;
  }

  ends(pid: number): void {
    rmSync(join(this.proc, String(pid)), { recursive: true });
  }

  follows(): this {
    writeFileSync(join(this.data, "standby.signal"), "");
    return this;
  }
}

test("what a server leaves that was killed names it, until the next one writes its own", async (t) => {
  const machine = new Machine(t);
  assert.equal(await machine.server.isLeftBy(7), false);
  assert.equal(await machine.names("7").server.isLeftBy(7), true);
  assert.equal(await machine.names("8").server.isLeftBy(7), false);
});

test("a server that runs is told to read its configuration again, and nothing else is", async (t) => {
  const machine = new Machine(t).names("7");
  await machine.server.reload();
  await machine.runs(7, "bash").server.reload();
  assert.deepEqual(machine.sent, []);
  await machine.runs(7, "postgres").server.reload();
  assert.deepEqual(machine.sent, ["SIGHUP 7"]);
});

test("the server is the process that its file names, where that is one", async (t) => {
  const machine = new Machine(t);
  assert.equal(await machine.server.pid(), undefined);
  assert.equal(await machine.names("7").server.pid(), undefined);
  assert.equal(await machine.runs(7, "bash").server.pid(), undefined);
  assert.equal(await machine.runs(7, "postgres").server.pid(), 7);
  // a server of one session, and a file that is being written
  assert.equal(await machine.names("-7").server.pid(), undefined);
  assert.equal(await machine.names("").server.pid(), undefined);
});

test("a server is a primary's where it runs and follows nobody", async (t) => {
  const machine = new Machine(t);
  assert.equal(await machine.server.isPrimary(), false);
  assert.equal(await machine.names("7").runs(7, "postgres").server.isPrimary(), true);
  assert.equal(await machine.follows().server.isPrimary(), false);
});

test("a server is ended at once, and killed where it does not", async (t) => {
  const machine = new Machine(t).names("7").runs(7, "postgres");
  machine.onSignal = () => {
    machine.ends(7);
  };
  await machine.server.end();
  assert.deepEqual(machine.sent, ["SIGQUIT 7"]);
  await machine.server.end();
  assert.deepEqual(machine.sent, ["SIGQUIT 7"], "there is none any more");
  machine.onSignal = () => undefined;
  await machine.runs(7, "postgres").server.end();
  assert.deepEqual(machine.sent.slice(1), ["SIGQUIT 7", "SIGKILL 7"]);
});

test("one that has ended and was not collected, and a later process of its number, are not killed", async (t) => {
  const machine = new Machine(t).names("7").runs(7, "postgres");
  machine.onSignal = () => machine.runs(7, "postgres", "Z");
  await machine.server.end();
  machine.runs(7, "postgres");
  machine.onSignal = () => machine.runs(7, "postgres", "S", 200);
  await machine.server.end();
  assert.deepEqual(machine.sent, ["SIGQUIT 7", "SIGQUIT 7"]);
});

test("a server that is stopping says so in its file, and one that is not is told to, in order", async (t) => {
  const machine = new Machine(t).names("7").runs(7, "postgres");
  assert.equal(await machine.server.isStopping(), false);
  await machine.server.stop();
  assert.deepEqual(machine.sent, ["SIGINT 7"]);
  machine.names("7", "stopping");
  assert.equal(await machine.server.isStopping(), true);
  machine.ends(7);
  assert.equal(await machine.server.isStopping(), false);
  await machine.server.stop();
  assert.deepEqual(machine.sent, ["SIGINT 7"]);
});
