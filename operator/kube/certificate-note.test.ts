import assert from "node:assert/strict";
import test from "node:test";
import { certificateOf } from "./certificate-note";

const read = (note: string): unknown => certificateOf({ "database.example.com/certificate": note });

test("what a member says of the certificate that it shows is read, and nothing else", () => {
  const until = "2026-06-01T00:00:00.000Z";
  assert.deepEqual(read(JSON.stringify({ until, by: "openssl" })), { certificate: { until } });
  for (const none of ["", "{", '{"until":"tomorrow"}', "7"]) assert.deepEqual(read(none), {}, none);
  assert.deepEqual(certificateOf({}), {});
});
