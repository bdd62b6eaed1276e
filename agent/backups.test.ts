import assert from "node:assert/strict";
import test from "node:test";
import { keptVariable, keptText } from "../contract/backup-report";
import { keptLabels, oldestOf, reportText, secondOf, surplusOf, versionIn, type Retention } from "./backups";

const wanted = (retention: number, ...kept: string[]): Retention => ({ newest: "d", retention, kept: new Set(kept) });
const own = ["a", "b", "c", "d"];

test("what is kept is not removed and does not count, and the oldest of the others is reported", () => {
  assert.deepEqual(surplusOf(own, wanted(2)), ["a", "b"]);
  assert.deepEqual(surplusOf(own, wanted(2, "a")), ["b"]);
  assert.deepEqual(surplusOf(own, wanted(1, "a", "c")), ["b"]);
  assert.deepEqual(surplusOf(own, wanted(4)), []);
  assert.equal(oldestOf(["a", "c", "d"], wanted(2, "a")), "c");
  assert.equal(oldestOf(["a", "d"], wanted(1, "a")), "d");
  assert.equal(oldestOf(["a", "d"], wanted(1, "a", "d")), "d");
});

test("where it is not known what is kept, nothing is removed", (t) => {
  const before = process.env[keptVariable];
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, keptVariable);
    else process.env[keptVariable] = before;
  });
  Reflect.deleteProperty(process.env, keptVariable);
  assert.equal(keptLabels(), undefined);
  assert.deepEqual(surplusOf(own, { ...wanted(1), kept: undefined }), []);
  process.env[keptVariable] = keptText(["a", "c"]);
  assert.deepEqual(keptLabels(), new Set(["a", "c"]));
  process.env[keptVariable] = "";
  assert.deepEqual(keptLabels(), new Set());
});

test("a report fits into a termination message, however many backups there are, with the longest names", () => {
  const label = `${"d".repeat(45)}-20261121T020003Z`;
  const completedAt = secondOf(new Date());
  const all = Array.from({ length: 1000 }, () => ({ label, bytes: Number.MAX_SAFE_INTEGER, completedAt }));
  const facts = { backup: label, oldest: label, startedAt: secondOf(new Date()), bytes: Number.MAX_SAFE_INTEGER };
  const text = reportText({ ...facts, member: "d".repeat(63), cluster: "c".repeat(128), version: "1".repeat(64) }, all);
  assert.ok(Buffer.byteLength(text) < 4096, String(Buffer.byteLength(text)));
});

test("the version is the number that the server's own words begin with", () => {
  assert.equal(versionIn("9.7.4-2-debian"), "9.7.4");
  assert.equal(versionIn("unknown"), undefined);
});
