import assert from "node:assert/strict";
import test from "node:test";
import { twoWritersIn, type Sample } from "./writers";

const look = (server: string, sentAt: number, endedAt: number, writable = true): Sample => ({
  ...{ server, sentAt, endedAt, writable },
});

test("two servers that acknowledge writes in overlapping looks are two writable primaries", () => {
  const found = twoWritersIn([look("a", 0, 10), look("b", 5, 15)]);
  assert.deepEqual(found, [{ servers: ["a", "b"], at: 5 }]);
});

test("one after the other is a hand-over", () => {
  assert.deepEqual(twoWritersIn([look("a", 0, 10), look("b", 11, 20), look("a", 25, 30)]), []);
});

test("a server that refuses or does not answer is not writable", () => {
  assert.deepEqual(twoWritersIn([look("a", 0, 10), look("b", 5, 15, false)]), []);
});

test("looks at one and the same server may overlap", () => {
  assert.deepEqual(twoWritersIn([look("a", 0, 10), look("a", 5, 15)]), []);
});

test("a long look is compared with all that fall into it, in whatever order they are reported", () => {
  const samples = [look("b", 40, 50), look("b", 120, 130), look("a", 0, 100), look("b", 10, 20)];
  assert.deepEqual(
    twoWritersIn(samples).map(({ at }) => at),
    [10, 40],
  );
});
