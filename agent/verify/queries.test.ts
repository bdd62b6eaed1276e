// The file of queries that the operator writes.
import assert from "node:assert/strict";
import test from "node:test";
import { queriesIn } from "./queries";

test("queries are read as the operator wrote them, and nothing else is", () => {
  const queries = [{ name: "orders", sql: "SELECT count(*) FROM orders", expect: "3" }];
  assert.deepEqual(queriesIn(JSON.stringify(queries)), queries);
  assert.throws(() => queriesIn(`[{"name":"orders"}]`));
});
