import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { PatroniProcess } from "./process";

const patroni = "/usr/bin/python3\0/usr/local/lib/database/patroni\0/tmp/patroni\0";

type Processes = Readonly<Record<number, readonly [parent: number, command: string]>>;

function machine(t: TestContext, processes: Processes): { killed: number[]; process: PatroniProcess } {
  const directory = mkdtempSync(join(tmpdir(), "patroni-process-"));
  t.after(() => {
    rmSync(directory, { recursive: true });
  });
  mkdirSync(join(directory, "self"));
  for (const [pid, [parent, command]] of Object.entries(processes)) {
    mkdirSync(join(directory, pid));
    writeFileSync(join(directory, pid, "stat"), `${pid} (a (b) c) S ${parent} 0 0\n`);
    writeFileSync(join(directory, pid, "cmdline"), command);
  }
  const killed: number[] = [];
  return { killed, process: new PatroniProcess({ directory, kill: (pid) => killed.push(pid) }) };
}

test("of the processes in the container the one that the init process started is Patroni", async (t) => {
  const { killed, process } = machine(t, {
    1: [0, "tini\0--\0postgresql-member\0"],
    8: [1, "node\0agent.js\0postgresql-watch\0"],
    9: [1, patroni],
    // that of a callback, or of a query by hand
    12: [9, patroni],
    20: [0, "cat\0/usr/local/lib/database/patroni.txt\0"],
  });
  assert.equal(await process.kill(), true);
  assert.deepEqual(killed, [9]);
});

test("where there is none, none is killed", async (t) => {
  const { killed, process } = machine(t, { 1: [0, "tini\0--\0postgresql-member\0"], 20: [1, "postgres\0-D\0data\0"] });
  assert.equal(await process.kill(), false);
  assert.deepEqual(killed, []);
});
