import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { logOf, toMemberLog } from "./log";

test("a line has the time and the name of its program, as Patroni's lines beside it", () => {
  const lines: string[] = [];
  logOf("watch", (line) => lines.push(line))("the server ends");
  assert.match(lines.join(""), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d watch: the server ends\n$/);
});

test("a hook writes into the log of the member", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "member-log-"));
  t.after(() => {
    rmSync(directory, { recursive: true });
  });
  const output = join(directory, "output");
  toMemberLog("one\n", output);
  toMemberLog("two\n", output);
  assert.equal(readFileSync(output, "utf8"), "one\ntwo\n");
});
