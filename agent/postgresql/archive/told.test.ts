import assert from "node:assert/strict";
import test from "node:test";
import type { ToldNote } from "../../../contract/archive-note";
import { noteIn, statementOf } from "./told";

const note: ToldNote = {
  ...{ state: "Waiting", message: "it's away", recoverableFrom: "2026-11-27T10:00:00Z", beat: 7 },
  gap: { segment: "000000010000000000000005", at: "2026-11-27T10:00:00Z" },
};

test("what is told is heard", () => {
  assert.deepEqual(noteIn(statementOf(note)), note);
});

test("however long a message is, it fits what the server shows of a statement", () => {
  for (const message of ["x".repeat(10_000), "ü".repeat(500)]) {
    const statement = statementOf({ ...note, message });
    assert.ok(statement.length < 1_024);
    assert.match(noteIn(statement)?.message ?? "", /^(x{100,}|ü{50,})$/);
  }
});

test("another statement, and one that is cut off, say nothing", () => {
  for (const statement of [
    "SELECT 1",
    statementOf(note).slice(0, 99),
    "SELECT 'archive:e30='",
    "SELECT 'archive:AAAA'",
  ])
    assert.equal(noteIn(statement), undefined);
});
