import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:https";
import test, { after, before } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import type { Issued } from "../certificates/certificate-set";
import { issueAuthority, issueServing } from "../certificates/issue";
import { webhookTerms } from "../certificates/rotation";
import { serveReviews, type Door, type Handler, type WebhookServer } from "./server";

const host = "database-conversion-webhook.databases.svc";
const errors: unknown[] = [];
let server: WebhookServer;
let authority: Issued;

const door = (handle: Handler, maxBytes = 1000): Door => ({ handle, maxBytes });

before(async () => {
  authority = await issueAuthority(webhookTerms, new Date());
  server = await serveReviews({
    port: 0,
    doors: {
      "/echo": door((text) => ({ kind: "review", review: { text } })),
      "/malformed": door(() => ({ kind: "malformed", problem: "not a review" })),
      "/broken": door(() => Promise.reject(new Error("unreachable"))),
      "/small": door((text) => ({ kind: "review", review: { text } }), 5),
    },
    onError: (_path, error) => errors.push(error),
  });
});
after(() => server.close());

const serving = (): Promise<Issued> => issueServing(authority, { hosts: [host], terms: webhookTerms }, new Date());

function ask(path: string, { agent, method = "POST" }: { agent?: Agent; method?: string } = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const where = { port: server.port, path, method, servername: host, ca: authority.certificate, agent };
  const sent = request(where, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("end", () => {
      resolve(`${response.statusCode ?? 0} ${text.trim()}`);
    });
  });
  sent.on("error", reject);
  sent.end("a body");
  return promise;
}

/** The serial number of the certificate that a new connection gets. */
async function serialNumber(): Promise<string> {
  const socket: TLSSocket = connect({ port: server.port, servername: host, ca: authority.certificate });
  await once(socket, "secureConnect");
  const { serialNumber: number } = socket.getPeerCertificate();
  socket.destroy();
  return number;
}

test("without a certificate there is no connection, and the server keeps running", async () => {
  await assert.rejects(ask("/echo"));
  server.use(await serving());
  assert.equal(await ask("/echo"), '200 {"text":"a body"}');
});

test("a new certificate is used for new connections; open ones continue", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.match(await ask("/echo", { agent }), /^200/);
  const former = await serialNumber();
  server.use(await serving());
  assert.notEqual(await serialNumber(), former);
  assert.match(await ask("/echo", { agent }), /^200/);
  agent.destroy();
});

test("a request that is not a review gets an explanation and a fitting status", async () => {
  assert.equal(await ask("/malformed"), "400 not a review");
  assert.equal(await ask("/elsewhere"), "404 there is no /elsewhere");
  assert.equal(await ask("/toString"), "404 there is no /toString");
  assert.equal(await ask("/echo", { method: "PUT" }), "405 send a review by POST");
  assert.match(await ask("/broken"), /^500 the operator could not answer/);
  assert.match(String(errors), /unreachable/);
});

test("a body that is too long for its path is not read, and its connection is closed", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.equal(await ask("/small", { agent }), "413 a review may have at most 5 bytes");
  assert.match(await ask("/echo", { agent }), /^200/);
  agent.destroy();
});

test("a port that is taken is refused with the setting to change", async () => {
  const again = serveReviews({ port: server.port, doors: {}, onError: () => undefined });
  await assert.rejects(again, /set DATABASE_OPERATOR_WEBHOOK_PORT to a free port/);
});
