// A Database with these fields, and its spec, as the API server and the operator's own parser complete them.
import assert from "node:assert/strict";
import { parseDatabase, type Database } from "../../operator/api/object";
import { databaseObject } from "./ports";

type Fields = Readonly<Record<string, unknown>>;

/** Fails where the spec is refused, and says why. */
export function databaseOf(fields: Fields = {}): Database {
  const parsed = parseDatabase(databaseObject(fields));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.database;
}

/** The same for its spec alone. */
export const specOf = (fields?: Fields): Database["spec"] => databaseOf(fields).spec;
