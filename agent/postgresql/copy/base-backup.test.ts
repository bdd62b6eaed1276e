import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { BaseBackup } from "./base-backup";

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "base-backup-"));
  t.after(() => {
    rmSync(directory, { recursive: true });
  });
  return directory;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let look = 0; look < 500 && !isSo(); look += 1) await delay(10);
  assert.ok(isSo(), "it took more than five seconds");
}

const isRunning = (pid: string): boolean => {
  try {
    // one that has ended and was not collected does not run
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

test("a copy has sessions of our own, and is good where its program says so", async (t) => {
  const options = join(directoryOf(t), "options");
  const script = `printf %s "$PGOPTIONS" > ${options}`;
  assert.equal(await new BaseBackup("sh").run(["-c", script]), true);
  assert.match(readFileSync(options, "utf8"), /-c wal_sender_timeout=5min$/);
  assert.equal(await new BaseBackup("sh").run(["-c", "exit 3"]), false);
});

test("no process of a copy is left once it has ended", async (t) => {
  const file = join(directoryOf(t), "pid");
  await new BaseBackup("sh").run(["-c", `sleep 60 & echo $! > ${file}; exit 1`]);
  assert.equal(isRunning(readFileSync(file, "utf8").trim()), false);
});

test("a copy that is told to end takes all of its processes along, and none begins after it", async (t) => {
  const file = join(directoryOf(t), "pid");
  const copy = new BaseBackup("sh");
  const running = copy.run(["-c", `sleep 60 & echo $! > ${file}; wait`]);
  await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
  copy.stop();
  assert.equal(await running, false);
  assert.equal(isRunning(readFileSync(file, "utf8").trim()), false);
  const another = join(directoryOf(t), "begun");
  assert.equal(await copy.run(["-c", `touch ${another}`]), false);
  assert.equal(existsSync(another), false);
});
