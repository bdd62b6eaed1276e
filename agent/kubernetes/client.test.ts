import assert from "node:assert/strict";
import test from "node:test";
import { ApiError, bodyOf } from "./client";

test("an answer is parsed as JSON, a refusal keeps its status, and a proxy's page is an error like any other", () => {
  assert.deepEqual(bodyOf(200, '{"kind":"Pod"}', "GET /pod"), { kind: "Pod" });
  assert.throws(
    () => bodyOf(409, "conflict", "PATCH /pod"),
    (error: unknown) => error instanceof ApiError && error.status === 409,
  );
  assert.throws(() => bodyOf(200, "<html>", "GET /pod"), /GET \/pod is not JSON/);
});
