import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import test from "node:test";
import { assertRoom } from "./disk-room";

test("a disk without room is named, with what it has and what is needed", async () => {
  const look = (directory: string): Promise<{ free: number }> =>
    Promise.resolve({ free: directory === "/full" ? 0.6e9 : 20e9 });
  await assertRoom(8e9, ["/empty"], look);
  await assert.rejects(assertRoom(8e9, ["/empty", "/full"], look), {
    message: "/full: 0.6 GB of the disk are free, and these tests need 8.0 GB: make room, then run them again",
  });
});

test("this machine's own disk is asked", async () => {
  await assertRoom(1, [tmpdir()]);
  await assert.rejects(assertRoom(Number.MAX_SAFE_INTEGER, [tmpdir()]), /of the disk are free/);
});
