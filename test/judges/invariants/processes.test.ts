import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { familyOf } from "./processes";

test("the family of a process is what it started, directly or not, as long as that runs", async () => {
  const shell = spawn("sh", ["-c", "sleep 61 & sh -c 'sleep 62 & echo; wait' & wait"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { pid } = shell;
  assert.ok(pid !== undefined);
  await once(shell.stdout, "data");
  const family = familyOf(pid);
  assert.equal(family[0]?.pid, pid);
  for (const argv of ["sleep 61", "sleep 62"])
    assert.ok(
      family.some((member) => member.argv === argv),
      argv,
    );
  assert.ok(family.every((member) => member.pid !== process.pid));
  const ended = once(shell, "exit");
  for (const member of family) process.kill(member.pid, "SIGKILL");
  await ended;
  assert.deepEqual(familyOf(pid), []);
});
