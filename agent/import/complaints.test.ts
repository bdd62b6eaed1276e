import assert from "node:assert/strict";
import test from "node:test";
import { withoutValues } from "./complaints";

const told = (...lines: readonly string[]): (string | undefined)[] => {
  const tell = withoutValues();
  return lines.map(tell).filter((line) => line !== undefined);
};

test("of an error of PostgreSQL the rows are left out, over as many lines as they have", () => {
  const error = 'pg_restore: error: COPY failed for table "people": ERROR:  duplicate key value violates "people_pkey"';
  assert.deepEqual(
    told(
      error,
      "DETAIL:  Key (name)=(Ann",
      " of the secret",
      "address) already exists.",
      "HINT:  look at it",
      "CONTEXT:  COPY people, line 3",
      "pg_restore: warning: errors ignored",
    ),
    [error, "HINT:  look at it", "pg_restore: warning: errors ignored"],
  );
});

test("of those of others the value is left out of the message", () => {
  assert.deepEqual(
    told(
      "ERROR 1062 (23000) at line 5: Duplicate entry 'it's 'Ann'' for key 'people.name'",
      'E11000 duplicate key error collection: shop.people index: name_1 dup key: { name: "Ann" }',
    ),
    [
      "ERROR 1062 (23000) at line 5: Duplicate entry '…' for key 'people.name'",
      "E11000 duplicate key error collection: shop.people index: name_1 dup key: { … }",
    ],
  );
});
