import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { eventually } from "../../harness/eventually";
import { familyOf } from "./processes";

test("the family of a process is what it started, directly or not, as long as that runs", async () => {
  const shell = spawn("sh", ["-c", "sleep 61 & sh -c 'sleep 62 & wait' & wait"], { stdio: "ignore" });
  const { pid } = shell;
  assert.ok(pid !== undefined);
  // what was forked has its parent's arguments until it runs its own program
  const family = await eventually(() => {
    const found = familyOf(pid);
    for (const argv of ["sleep 61", "sleep 62"])
      assert.ok(
        found.some((member) => member.argv === argv),
        argv,
      );
    return found;
  });
  assert.equal(family[0]?.pid, pid);
  assert.ok(family.every((member) => member.pid !== process.pid));
  const ended = once(shell, "exit");
  for (const member of family) process.kill(member.pid, "SIGKILL");
  await ended;
  assert.deepEqual(familyOf(pid), []);
});
