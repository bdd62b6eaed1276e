import assert from "node:assert/strict";
import test from "node:test";
import { linesOf } from "./parameters";

test("each parameter is a line, quoted so that the server reads it as it is", () => {
  const parameters = {
    shared_buffers: { value: "128MB", restart: true },
    max_connections: { value: 100 },
    search_path: { value: String.raw`it's "a\b"` },
  };
  assert.equal(
    linesOf(parameters),
    String.raw`shared_buffers = '128MB'
max_connections = '100'
search_path = 'it''s "a\\b"'
`,
  );
  assert.equal(linesOf({}), "");
});

test("what is none stops the start rather than being left out", () => {
  assert.throws(() => linesOf({ work_mem: "8MB" }));
  assert.throws(() => linesOf([]));
});
