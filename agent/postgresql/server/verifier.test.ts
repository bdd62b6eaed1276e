import assert from "node:assert/strict";
import test from "node:test";
import { verifierOf } from "./verifier";

// the example of RFC 7677
const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");

test("a verifier is what the server computes of the same password and salt", async () => {
  assert.equal(
    await verifierOf("pencil", 4096, salt),
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
  );
});

test("two verifiers of one password differ, and neither has it", async () => {
  const [one, two] = await Promise.all([verifierOf("pencil"), verifierOf("pencil")]);
  assert.notEqual(one, two);
  assert.ok(!one.includes("pencil"));
  assert.match(one, /^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/);
});

test("a password is prepared as clients do, and one that the rules forbid is taken as it is", async () => {
  // a Roman nine, and a soft hyphen that counts for nothing
  assert.equal(await verifierOf("I\u00ADX", 1, salt), await verifierOf("IX", 1, salt));
  assert.equal(await verifierOf("\u2168", 1, salt), await verifierOf("IX", 1, salt));
  assert.notEqual(await verifierOf("\u0627\u0031", 1, salt), await verifierOf("1", 1, salt));
});
