import assert from "node:assert/strict";
import test from "node:test";
import { volumeOf } from "./volume-note";

const read = (note: unknown): unknown => volumeOf({ "database.example.com/volume": JSON.stringify(note) }).volume;
const note = { level: 80, size: 10, used: 8, at: "2026-01-01T00:00:00Z" };

test("what a member says of its volume is read", () => {
  const cause = { kind: "slot", bytes: 3, name: "reports", walStatus: "extended", active: false };
  assert.deepEqual(read({ ...note, cause }), { ...note, cause });
  assert.deepEqual(read(note), note);
});

test("nothing is read of what is none, and no cause that only a newer agent knows", () => {
  assert.deepEqual(volumeOf({}), {});
  assert.equal(read({ ...note, size: 0 }), undefined);
  assert.equal(read({ ...note, level: 7 }), undefined);
  assert.equal(read("full"), undefined);
  assert.deepEqual(read({ ...note, cause: { kind: "moths", bytes: 1 } }), note);
});
