import assert from "node:assert/strict";
import test from "node:test";
import { leastFor, wantedFor } from "./size";

const mebibyte = 1024 ** 2;

test("a copy may be a tenth larger than its tables, and CLONE wants the room of the whole redo log", () => {
  assert.equal(wantedFor({ bytes: 1000 * mebibyte, redo: 100 * mebibyte }), 1132 * mebibyte);
  assert.equal(wantedFor({ bytes: 1000 * mebibyte, redo: 1024 * mebibyte }), 2032 * mebibyte);
});

test("on a volume as large as the member's, tables that fill nine tenths of it have room", () => {
  const member = { bytes: 930 * mebibyte, redo: 50 * mebibyte };
  assert.equal(leastFor(member), 988 * mebibyte);
  assert.ok(wantedFor(member) > 1024 * mebibyte);
});
