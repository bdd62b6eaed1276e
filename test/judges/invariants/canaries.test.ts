// What of Secrets must be nowhere else.
import assert from "node:assert/strict";
import test from "node:test";
import { canariesIn, Secret } from "./parse";

const pem = (what: string, text: string): string => `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----`;
const encoded = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
const canariesOf = (name: string, texts: Readonly<Record<string, string>>): string[] =>
  canariesIn(Secret.parse({ metadata: { name, namespace: "shop" }, data: encoded(texts) }));

test("passwords, and of certificates the private keys, each of them", () => {
  assert.deepEqual(canariesOf("orders-system", { "superuser-password": "s" }), ["s"]);
  assert.deepEqual(canariesOf("orders-credentials", { username: "app", password: "p" }), ["p"]);
  const [one, two, leaf] = ["one", "two", "leaf"].map((text) => pem("PRIVATE KEY", text));
  const certificate = pem("CERTIFICATE", "public");
  const record = { "ca.crt": certificate, "ca.key": `${one ?? ""}\n${two ?? ""}\n`, "tls.key": leaf ?? "" };
  assert.deepEqual(canariesOf("certificates.shop.orders", record), [one, two, leaf]);
  assert.deepEqual(canariesOf("orders-server-tls", { "tls.crt": certificate, "tls.key": leaf ?? "" }), [leaf]);
  assert.deepEqual(canariesOf("orders-ca", { "ca.crt": certificate, sslmode: "verify-ca" }), []);
});
