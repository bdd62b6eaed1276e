import assert from "node:assert/strict";
import test from "node:test";
import { fieldsOf } from "../reference";
import { companionKinds, companionSchema } from "./crd";

for (const kind of companionKinds) {
  const fields = fieldsOf(companionSchema(kind), "").filter(({ path }) => !path.startsWith(".metadata"));

  test(`every field of a ${kind.kind} has a text for kubectl explain`, () => {
    assert.ok(fields.length >= 10, String(fields.length));
    const silent = fields.filter(({ schema }) => !schema.description).map(({ path }) => path);
    assert.deepEqual(silent, []);
  });

  test(`every string of a ${kind.kind} has a bound`, () => {
    const open = fields.filter(
      ({ path, schema }) => path.startsWith(".spec") && schema.type === "string" && schema.maxLength === undefined,
    );
    assert.deepEqual(open, []);
  });
}
