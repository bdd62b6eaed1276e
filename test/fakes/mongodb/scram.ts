// The server's part of SCRAM-SHA-256 (RFC 7677), over passwords in clear.
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

const iterations = 4096;

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The parts of a SCRAM message, by their letters. */
function partsOf(text: string): ReadonlyMap<string, string> {
  return new Map(text.split(",").map((part): [string, string] => [part.slice(0, 1), part.slice(2)]));
}

/** What a client began, and what must come next for it to be who it says. */
export interface Conversation {
  readonly name: string;
  /** The first answer. */
  readonly challenge: string;
  /** The last answer to a client that knows the password; undefined for any other. */
  finish(message: string, password: string | undefined): string | undefined;
}

/** Answers the first message of a client, "n,,n=<name>,r=<nonce>". */
export function beginScram(message: string): Conversation {
  const bare = message.replace(/^n,[^,]*,/, "");
  const first = partsOf(bare);
  const salt = randomBytes(28);
  const nonce = `${first.get("r") ?? ""}${randomBytes(18).toString("base64")}`;
  const challenge = `r=${nonce},s=${salt.toString("base64")},i=${iterations}`;
  return {
    name: (first.get("n") ?? "").replaceAll("=2C", ",").replaceAll("=3D", "="),
    challenge,
    finish(last, password) {
      if (password === undefined) return undefined;
      const signed = `${bare},${challenge},${last.replace(/,p=.*$/, "")}`;
      const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
      const clientKey = hmac(salted, "Client Key");
      const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
      const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
      const given = Buffer.from(/,p=(.*)$/.exec(last)?.[1] ?? "", "base64");
      if (given.length !== proof.length || !timingSafeEqual(given, proof)) return undefined;
      return `v=${hmac(hmac(salted, "Server Key"), signed).toString("base64")}`;
    },
  };
}
