import assert from "node:assert/strict";
import test from "node:test";
import { tableOf } from "./table";

const none = { unit: null, min: null, max: null, values: null };
const answer = JSON.stringify([
  { ...none, name: "shared_buffers", context: "postmaster", type: "integer", unit: "8kB", min: 16, max: 1073741823 },
  { ...none, name: "seq_page_cost", context: "user", type: "real", min: 0, max: 1.79769e308 },
  { ...none, name: "wal_level", context: "postmaster", type: "enum", values: ["minimal", "replica", "logical"] },
  { ...none, name: "server_version_num", context: "internal", type: "integer", min: 170012, max: 170012 },
  { ...none, name: "jit", context: "user", type: "bool" },
  // a server has hundreds, and an answer with a few is none
  ...Array.from({ length: 100 }, (_, index) => ({ ...none, name: `x${index}`, context: "user", type: "string" })),
]);

test("a table says how a parameter is written, within which bounds, and whether it takes a restart or cannot be set", async () => {
  const table = JSON.parse(await tableOf(answer)) as Record<string, unknown>;
  assert.deepEqual(table["shared_buffers"], { type: "integer", unit: "8kB", min: 16, max: 1073741823, restart: true });
  assert.deepEqual(table["seq_page_cost"], { type: "real", min: 0 });
  assert.deepEqual(table["wal_level"], { type: "enum", values: ["minimal", "replica", "logical"], restart: true });
  assert.deepEqual(table["server_version_num"], { type: "integer", fixed: true });
  assert.deepEqual(table["jit"], { type: "bool" });
});

test("an answer without most of the parameters makes no table", async () => {
  await assert.rejects(tableOf("[]"));
  await assert.rejects(tableOf(JSON.stringify([{ name: "jit" }])));
});
