import assert from "node:assert/strict";
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import test from "node:test";
import { createSalt, sharedSalt } from "./salt";

test("a salt proves its passphrase: with the key that it gives, what it carries reads `pulumi`", async () => {
  const [version, salt = "", cipherVersion, nonce = "", sealed = "", ...rest] = (await createSalt("secret")).split(":");
  assert.deepEqual([version, cipherVersion, rest], ["v1", "v1", []]);
  const key = pbkdf2Sync("secret", Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
  decipher.setAuthTag(bytes.subarray(-16));
  assert.equal(decipher.update(bytes.subarray(0, -16), undefined, "utf8") + decipher.final("utf8"), "pulumi");
});

test("all new stacks of a process share one salt, two processes do not", async () => {
  const [one, other] = [sharedSalt("secret"), sharedSalt("secret")];
  assert.equal(await one(), await one());
  assert.notEqual(await one(), await other());
});
