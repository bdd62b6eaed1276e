import "reflect-metadata";
import assert from "node:assert/strict";
import { request } from "node:https";
import test, { after, before } from "node:test";
import * as x509 from "@peculiar/x509";
import type { Issued } from "./certificates/certificate-set";
import { issueAuthority, issueServing } from "./certificates/issue";
import { serveReviews, type Door, type WebhookServer } from "./server";

const host = "database-conversion-webhook.databases.svc";
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const open: Door = { handle: () => ({ kind: "review", review: {} }), maxBytes: 1000 };
const servers: WebhookServer[] = [];
let authority: Issued;
let apiServers: Issued;
let limited: WebhookServer;
let unlimited: WebhookServer;

/** A server that asks for certificates of this authority, or for none. */
async function serve(clientAuthority?: string): Promise<WebhookServer> {
  const doors = { "/convert": open, "/validate": { ...open, forClients: true } };
  const server = await serveReviews({
    port: 0,
    doors,
    clientAuthority,
    onError: (_path, error) => assert.fail(String(error)),
  });
  server.use(await issueServing(authority, [host], new Date()));
  servers.push(server);
  return server;
}

/** A client's certificate, as a cluster's own authority issues them. */
async function issueClient(by: Issued): Promise<{ readonly cert: string; readonly key: string }> {
  const issuerKey = x509.PemConverter.decodeFirst(by.key);
  const signingKey = await crypto.subtle.importKey("pkcs8", issuerKey, algorithm, false, ["sign"]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=kube-apiserver",
    issuer: new x509.X509Certificate(by.certificate).subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { cert: certificate.toString("pem"), key };
}

before(async () => {
  [authority, apiServers] = await Promise.all([issueAuthority(new Date()), issueAuthority(new Date())]);
  [limited, unlimited] = await Promise.all([serve(apiServers.certificate), serve()]);
});
after(() => Promise.all(servers.map((server) => server.close())));

function ask({ port }: WebhookServer, path: string, client = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const where = { port, path, method: "POST", servername: host, ca: authority.certificate, agent: false, ...client };
    const sent = request(where, (response) => {
      response.resume().on("end", () => {
        resolve(response.statusCode);
      });
    });
    sent.on("error", reject).end("{}");
  });
}

test("where an authority is set, a change is judged only for callers that present a certificate of it", async () => {
  assert.equal(await ask(limited, "/validate", await issueClient(apiServers)), 200);
  assert.equal(await ask(limited, "/validate"), 403, "without a certificate");
  assert.equal(await ask(limited, "/validate", await issueClient(authority)), 403, "of another authority");
});

test("versions are converted for any caller: the API server presents no certificate there", async () => {
  assert.equal(await ask(limited, "/convert"), 200);
});

test("where no authority is set, no caller needs a certificate", async () => {
  assert.equal(await ask(unlimited, "/validate"), 200);
});
