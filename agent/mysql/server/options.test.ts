import assert from "node:assert/strict";
import test from "node:test";
import { isComplaint } from "./options";

test("a server's complaint is its last error before Aborting", () => {
  const lines = [
    "2026-01-01T00:00:00.1Z 0 [Warning] [MY-010918] [Server] 'default_storage_engine' is deprecated",
    "2026-01-01T00:00:00.2Z 0 [ERROR] [MY-000067] [Server] unknown variable 'x=1'.",
    "2026-01-01T00:00:00.3Z 0 [ERROR] [MY-010119] [Server] Aborting",
  ];
  assert.equal(lines.findLast(isComplaint), lines[1]);
});
