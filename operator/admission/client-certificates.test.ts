import assert from "node:assert/strict";
import { request } from "node:https";
import test, { after, before } from "node:test";
import { z } from "zod";
import { issueClient } from "../../test/fakes/client-certificate";
import type { Issued } from "../certificates/certificate-set";
import { issueAuthority, issueServing } from "../certificates/issue";
import { webhookTerms } from "../certificates/rotation";
import type { PreviewApi } from "../preview-api/api";
import { fingerprintsIn } from "../preview-api/front-proxy";
import { serveReviews, type Door, type WebhookServer } from "./server";

const host = "database-conversion-webhook.databases.svc";
const open: Door = { handle: () => ({ kind: "review", review: {} }), maxBytes: 1000 };
const servers: WebhookServer[] = [];
let authority: Issued;
let apiServers: Issued;
let limited: WebhookServer;
let unlimited: WebhookServer;
let proxies: Issued;

/** Says who the API would take the client for. */
const api: PreviewApi = {
  owns: (path) => path === "/apis/x",
  answer: ({ shown, headers, withBody }) =>
    withBody((text) =>
      Promise.resolve([200, { shown, group: headers["x-remote-group"], text }, { "Retry-After": "7" }]),
    ),
};

/** A server that asks for certificates of this authority, or for none. */
async function serve(clientAuthority?: string, some: { readonly api?: PreviewApi } = {}): Promise<WebhookServer> {
  const doors = { "/convert": open, "/validate": { ...open, forClients: true } };
  const server = await serveReviews({
    port: 0,
    doors,
    clientAuthority,
    ...some,
    onError: (_path, error) => assert.fail(String(error)),
  });
  server.use(await issueServing(authority, { hosts: [host], terms: webhookTerms }, new Date()));
  servers.push(server);
  return server;
}

before(async () => {
  [authority, apiServers, proxies] = (await Promise.all(
    [1, 2, 3].map(() => issueAuthority(webhookTerms, new Date())),
  )) as [Issued, Issued, Issued];
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

/** What comes back, and the groups that were sent twice. */
async function shownTo({ port }: WebhookServer, client = {}): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const where = { port, path: "/apis/x?timeout=30s", method: "POST", servername: host, ca: authority.certificate };
  const headers = { "X-Remote-Group": ["a, b", "c"] };
  const sent = request({ ...where, headers, agent: false, ...client }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("end", () => {
      resolve([response.headers["retry-after"], JSON.parse(text)]);
    });
  });
  sent.on("error", reject).end("{}");
  return promise;
}

test("the API of previews learns which certificate a client shows, and a new authority counts at once", async () => {
  const server = await serve(apiServers.certificate, { api });
  const proxy = await issueClient(proxies, "front-proxy-client");
  const unknown = ["7", { group: ["a, b", "c"], text: "{}" }];
  assert.deepEqual(await shownTo(server, proxy), unknown, "not trusted yet");
  server.trust(proxies.certificate);
  const [issuer] = fingerprintsIn(proxies.certificate);
  const shown = { commonName: "front-proxy-client", issuers: [issuer] };
  assert.deepEqual(await shownTo(server, proxy), ["7", { shown, group: ["a, b", "c"], text: "{}" }]);
  assert.deepEqual(await shownTo(server), unknown, "without a certificate");
  assert.deepEqual(
    await shownTo(server, await issueClient(authority, "front-proxy-client")),
    unknown,
    "of another authority",
  );
  assert.equal(await ask(server, "/validate", proxy), 403, "who may say for whom it asks is no client of the webhooks");
  assert.equal(await ask(server, "/validate", await issueClient(apiServers)), 200);
  assert.equal(await ask(server, "/convert"), 200);
});

test("of a person in thousands of groups every one arrives", async () => {
  const server = await serve(undefined, { api });
  const groups = Array.from({ length: 3000 }, (_, at) => `a group of the directory, number ${at}`);
  const [, answer] = z
    .tuple([z.string(), z.object({ group: z.array(z.string()) })])
    .parse(await shownTo(server, { headers: { "X-Remote-Group": groups } }));
  assert.deepEqual(answer.group, groups);
});

test("the API of previews is served where no client of the webhooks must show a certificate", async () => {
  const server = await serve(undefined, { api });
  assert.equal(await ask(server, "/validate"), 200);
  server.trust(proxies.certificate);
  assert.match(JSON.stringify(await shownTo(server, await issueClient(proxies, "x"))), /"commonName":"x"/);
});
