import assert from "node:assert/strict";
import test from "node:test";
import { ArrivedLate, holeAt, type Asked } from "./hole";

const sum = "a".repeat(40);
const name = (number: number): string => `00000001000000000000000${number}`;
const listed = (...numbers: readonly number[]): string =>
  numbers.map((number) => `17-1/0000000100000000/${name(number)}-${sum}.zst`).join("\n");

/** What is found where the archive has these, one look after the other. */
async function found(some: Partial<Asked>, ...looks: readonly string[]): Promise<string> {
  const left = [...looks];
  const archived = (): Promise<string> => Promise.resolve(left.shift() ?? "");
  try {
    const hole = await holeAt({ missing: name(5), bound: undefined, isShort: false, ...some }, archived, 0);
    return hole ?? "none";
  } catch (error) {
    return error instanceof ArrivedLate ? "late" : String(error);
  }
}

test("what is missing in front of later WAL is a hole, where it does not come within a while", async () => {
  assert.equal(await found({}, listed(3, 4, 6), listed(3, 4, 6)), name(5));
  assert.equal(await found({}, listed(3, 4, 6), listed(3, 4, 5, 6)), "late");
  assert.equal(await found({}, listed(3, 4)), "none");
  assert.equal(await found({ missing: undefined }), "none");
});

test("where only what was there before counts, a hole behind that is none", async () => {
  assert.equal(await found({ bound: listed(3, 4) }, listed(3, 4, 6), listed(3, 4, 6)), "none");
  assert.equal(await found({ bound: listed(3, 4, 6) }, listed(3, 4, 6), listed(3, 4, 6)), name(5));
});

test("what was missing while the server asked, and is there when it is looked for, was late", async () => {
  assert.equal(await found({ bound: listed(3, 4, 6), isShort: true }, listed(3, 4, 5, 6)), "late");
  assert.equal(await found({ isShort: false }, listed(3, 4, 5)), "none", "all that was there before was replayed");
});
