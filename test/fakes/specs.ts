// The spec of a Database with these fields, as the API server and the operator's own parser complete it.
import assert from "node:assert/strict";
import { parseDatabase, type Database } from "../../operator/api/object";
import { databaseObject } from "./ports";

/** Fails where the spec is refused. */
export function specOf(fields: Readonly<Record<string, unknown>> = {}): Database["spec"] {
  const parsed = parseDatabase(databaseObject(fields));
  assert.ok(parsed.ok);
  return parsed.database.spec;
}
