import assert from "node:assert/strict";
import test from "node:test";
import { textOf } from "./log";

test("an error is told on one line, and that of a name with several addresses by what each of them said", () => {
  assert.equal(textOf(new Error("no such\n  server")), "no such server");
  const both = new AggregateError([new Error("refused by ::1"), new Error("refused by 127.0.0.1")], "");
  assert.equal(textOf(both), "refused by ::1; refused by 127.0.0.1");
});
