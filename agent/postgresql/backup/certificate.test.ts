import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { connect, createServer } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { identityOf } from "./certificate";

const subject = { name: "database-backup", host: "*.orders-headless.shop.svc" };
const identity = identityOf("shared", subject);

test("the same key gives the same certificate, and another key another one", () => {
  assert.deepEqual(identityOf("shared", subject), identity);
  assert.notEqual(identityOf("other", subject).certificate, identity.certificate);
});

test("the certificate is signed by its own key, for the members' hosts, and for as long as there are certificates", () => {
  const certificate = new X509Certificate(identity.certificate);
  assert.equal(certificate.checkPrivateKey(createPrivateKey(identity.key)), true);
  assert.equal(certificate.verify(certificate.publicKey), true);
  assert.equal(certificate.checkHost("orders-0.orders-headless.shop.svc"), "*.orders-headless.shop.svc");
  assert.equal(certificate.checkHost("orders-0.orders-headless.other.svc"), undefined);
  assert.match(certificate.validTo, /^Dec 31 23:59:59 9999/);
  assert.equal(certificate.subject, "CN=database-backup");
});

/** Whether a client with `own` is let in by the server with `identity`. */
async function isLetIn(own: { readonly key: string; readonly certificate: string }): Promise<boolean> {
  const server = createServer({
    ...{ key: identity.key, cert: identity.certificate, ca: identity.certificate },
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on("secureConnection", (socket) => socket.end("welcome"));
  server.on("tlsClientError", () => undefined);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const servername = "orders-0.orders-headless.shop.svc";
  const client = connect({ port, servername, key: own.key, cert: own.certificate, ca: identity.certificate });
  const answer = await new Promise<boolean>((resolve) => {
    client.on("data", (data: Buffer) => {
      resolve(data.toString() === "welcome");
    });
    client.on("error", () => {
      resolve(false);
    });
    client.on("close", () => {
      resolve(false);
    });
  });
  client.destroy();
  server.close();
  return answer;
}

test("those that share the key let each other in, and nobody else", async () => {
  assert.equal(await isLetIn(identity), true);
  assert.equal(await isLetIn(identityOf("other", subject)), false);
});
