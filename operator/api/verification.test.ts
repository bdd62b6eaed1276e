// Restore drills in a spec.
import assert from "node:assert/strict";
import test from "node:test";
import { parseDatabase } from "./object";

const queries = [{ name: "orders", sql: "SELECT 1" }];

/** What is wrong with a Database of MongoDB whose drills are so. */
function problemsOf(verify: Record<string, unknown>): readonly string[] {
  const metadata = { name: "shop", namespace: "team", uid: "u", resourceVersion: "1", generation: 1 };
  const parsed = parseDatabase({ metadata, spec: { engine: "mongodb", version: "8.0", backup: { verify } } });
  return parsed.ok ? [] : parsed.problems;
}

test("queries that an engine does not understand are refused, and not where they are asked of nothing", () => {
  assert.match(problemsOf({ queries }).join("\n"), /^spec\.backup\.verify\.queries: queries of restore drills are SQL/);
  assert.deepEqual(problemsOf({ enabled: false, queries }), []);
  assert.deepEqual(problemsOf({ queries: [] }), []);
});
