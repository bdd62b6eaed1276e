import assert from "node:assert/strict";
import test from "node:test";
import { errorsIn, locksFor } from "./reading";

test("of logs only what went wrong is told, once, and never a line with a password's verifier", () => {
  const log = [
    "SET",
    'psql:globals.sql:18: ERROR:  unrecognized configuration parameter "gone"',
    "Command was: CREATE ROLE app PASSWORD 'SCRAM-SHA-256$4096:x$y:z';",
    "ERROR:  syntax error at or near \"'SCRAM-SHA-256$4096:x$y:z'\"",
    "STATEMENT:  ALTER ROLE app PASSWORD 'secret'",
    "pg_dump: error: query failed: ERROR:  out of shared memory",
    `FATAL:  ${"x".repeat(999)}`,
  ].join("\n");
  assert.deepEqual(
    errorsIn([log, log]).map((line) => line.slice(0, 50)),
    [
      "psql:globals.sql:18: ERROR:  unrecognized configur",
      "pg_dump: error: query failed: ERROR:  out of share",
      `FATAL:  ${"x".repeat(42)}`,
    ],
  );
});

test("servers have places for the locks of all relations of two databases, and never less than the former one had", () => {
  assert.deepEqual([locksFor(64, 100), locksFor(64, 1_000_000), locksFor(4096, 0)], [1024, 40_000, 4096]);
});
