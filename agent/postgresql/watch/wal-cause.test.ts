import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { bytesIn, causeOf, WalCause } from "./wal-cause";

const room = { free: 10, total: 100 };
const slot = { name: "reports", bytes: 30, walStatus: "extended", active: false };

test("the slot is to blame that holds so much WAL that the volume would have room without it", () => {
  assert.deepEqual(causeOf(room, 40, slot), { kind: "slot", ...slot });
  // no more than there is
  assert.deepEqual(causeOf(room, 20, { ...slot, bytes: 70 }), { kind: "slot", ...slot, bytes: 20 });
});

test("WAL that no slot holds is named as such, and little of it is not", () => {
  assert.deepEqual(causeOf(room, 40, undefined), { kind: "wal", bytes: 40 });
  assert.deepEqual(causeOf(room, 40, { ...slot, bytes: 2 }), { kind: "wal", bytes: 40 });
  assert.equal(causeOf(room, 9, slot), undefined);
});

test("of a server that is down, the slot counts that it named last", async () => {
  let isDown = false;
  const holdingSlot = (): Promise<typeof slot> => (isDown ? Promise.reject(new Error("down")) : Promise.resolve(slot));
  const cause = new WalCause({ holdingSlot }, () => Promise.resolve(40));
  await cause.find(room);
  isDown = true;
  assert.deepEqual(await cause.find(room), { kind: "slot", ...slot });
});

test("the files of a directory are counted, and one that is not there is empty", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wal-"));
  try {
    await Promise.all([writeFile(join(directory, "1"), "abc"), writeFile(join(directory, "2"), "de")]);
    assert.equal(await bytesIn(directory), 5);
    assert.equal(await bytesIn(join(directory, "none")), 0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
