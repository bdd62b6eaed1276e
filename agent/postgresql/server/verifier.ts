// A password as the server keeps it (SCRAM-SHA-256), so that the password itself never reaches the server.
import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);
const digest = "sha256";
const keyBytes = 32;
const saltBytes = 16;

/** What the server takes where nobody says otherwise. */
export const usualIterations = 4096;

/** The verifier of a password. `salt`: default random. */
export async function verifierOf(
  password: string,
  iterations = usualIterations,
  salt = randomBytes(saltBytes),
): Promise<string> {
  const salted = await derive(await prepared(password), salt, iterations, keyBytes, digest);
  const keyOf = (purpose: string): Buffer => createHmac(digest, salted).update(purpose).digest();
  const stored = createHash(digest).update(keyOf("Client Key")).digest();
  const encoded = [salt, stored, keyOf("Server Key")].map((bytes) => bytes.toString("base64"));
  const [saltText = "", storedText = "", serverText = ""] = encoded;
  return `SCRAM-SHA-256$${iterations}:${saltText}$${storedText}:${serverText}`;
}

/** As clients prepare it before they log in. One that the rules forbid is taken as it is, by them, too. */
async function prepared(password: string): Promise<string> {
  if (/^[ -~]*$/.test(password)) return password;
  // hardly any password is such, and this takes longer to load than all the rest
  const { saslprep } = await import("@mongodb-js/saslprep");
  try {
    return saslprep(password);
  } catch {
    return password;
  }
}
