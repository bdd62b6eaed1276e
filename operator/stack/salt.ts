// The key of a stack's secrets, as Pulumi's passphrase provider derives it: where new stacks get theirs from.
import { createCipheriv, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);

/** As in Pulumi's sdk/go/common/resource/config/crypt.go. */
const iterations = 1_000_000;
const keyBytes = 32;
const saltBytes = 8;
const nonceBytes = 12;
/** What Pulumi encrypts to find out whether a passphrase is the right one. */
const probe = "pulumi";

/**
 * A new salt for `passphrase`, in the form of `encryptionSalt` in a stack's settings: `v1:<salt>:v1:<nonce>:<probe>`.
 * Deriving the key takes a few tenths of a second, on another thread.
 */
export async function createSalt(passphrase: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await derive(passphrase, salt, iterations, keyBytes, "sha256");
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const encrypted = Buffer.concat([cipher.update(probe, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return ["v1", salt.toString("base64"), "v1", nonce.toString("base64"), encrypted.toString("base64")].join(":");
}

/** One salt for all new stacks of this process, generated at the first need: Pulumi derives a key once per salt. */
export function sharedSalt(passphrase: string): () => Promise<string> {
  let salt: Promise<string> | undefined;
  return () => (salt ??= createSalt(passphrase));
}
