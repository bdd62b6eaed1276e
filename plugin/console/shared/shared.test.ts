import assert from "node:assert/strict";
import { request } from "node:https";
import { text as textIn } from "node:stream/consumers";
import test, { after, before } from "node:test";
import { connect, type ConnectionOptions } from "node:tls";
import type { Issued } from "../../../operator/certificates/certificate-set";
import { issueServing } from "../../../operator/certificates/issue";
import { webhookTerms } from "../../../operator/certificates/rotation";
import { issueClient, newAuthority } from "../../../test/fakes/client-certificate";
import { fakeCluster } from "../../../test/fakes/plugin/cluster";
import { shown } from "../../../test/fakes/plugin/console";
import { now } from "../../../test/fakes/plugin/world";
import { personOf } from "../access/open";
import { listen, type Listening } from "../serve/listen";
import { sharedApp } from "./app";
import { sharedConfig, type ProxyConfig } from "./config";
import { SharedFormKeys } from "./form-keys";
import { identityIn, type Identity } from "./identity";

const proxy: ProxyConfig = {
  names: ["console-proxy"],
  ...{ userHeader: "x-remote-user", groupsHeader: "x-remote-group", userPrefix: "", groupPrefix: "oidc:" },
  ...{ users: [], groups: [] },
};

const identityOf = (
  user: readonly string[],
  groups: readonly string[] = [],
  commonName?: string,
): Identity | undefined =>
  identityIn(
    {
      commonName: commonName ?? "console-proxy",
      valuesOf: (header) => (header === "x-remote-user" ? user : header === "x-remote-group" ? groups : []),
    },
    proxy,
  );

test("the proxy says who asks, and of which groups", () => {
  assert.deepEqual(identityOf(["jane@example.com"], ["dev, ops", "dba"]), {
    user: "jane@example.com",
    groups: ["oidc:dev", "oidc:ops", "oidc:dba"],
  });
});

test("groups for which the console's account may not act are left out", () => {
  const valuesOf = (header: string): string[] => [header === "x-remote-user" ? "jane" : "dev,dba"];
  const identity = identityIn({ commonName: "console-proxy", valuesOf }, { ...proxy, groups: ["oidc:dba"] });
  assert.deepEqual(identity?.groups, ["oidc:dba"]);
});

const unknown: Readonly<
  Record<string, readonly [user: readonly string[], groups?: readonly string[], commonName?: string]>
> = {
  "no name": [[]],
  "an empty name": [[" "]],
  "two names": [["jane", "root"]],
  "another client": [["jane"], [], "someone-else"],
  "a name of Kubernetes itself": [["system:admin"]],
  "a name that is not of visible letters": [["jane\u00e9"]],
  "a name that is too long": [["j".repeat(300)]],
  "more groups than a request can carry": [
    ["jane"],
    [Array.from({ length: 501 }, (_, index) => `g${index}`).join(",")],
  ],
};
for (const [what, given] of Object.entries(unknown)) {
  test(`no person is let in by ${what}`, () => {
    assert.equal(identityOf(...given), undefined);
  });
}

test("without a prefix no group of Kubernetes itself is taken, and then the person is not either", () => {
  const shownBy = {
    commonName: "console-proxy",
    valuesOf: (header: string) => (header === "x-remote-user" ? ["jane"] : ["dev,system:masters"]),
  };
  assert.equal(identityIn(shownBy, { ...proxy, groupPrefix: "" }), undefined);
});

test("where no header of groups is configured a browser cannot name any", () => {
  const environment = { ...complete, CONSOLE_PROXY_NAMES: "console-proxy" };
  const { proxy: told } = sharedConfig(environment);
  const shownBy = {
    commonName: "console-proxy",
    valuesOf: (header: string) => [header === "x-remote-user" ? "jane" : "dba"],
  };
  assert.deepEqual(identityIn(shownBy, told), { user: "jane", groups: [] });
  const named = sharedConfig({ ...environment, CONSOLE_GROUPS_HEADER: "X-Remote-Group" }).proxy;
  assert.deepEqual(identityIn(shownBy, named)?.groups, ["dba"]);
});

const complete = {
  ...{ CONSOLE_URL: "https://dba.example.com/console/", CONSOLE_CERTIFICATE: "a", CONSOLE_KEY: "b" },
  ...{ CONSOLE_PROXY_CA: "c", CONSOLE_PROXY_NAMES: "console-proxy, other" },
};
test("a configuration that is not complete is refused, and names what is missing", () => {
  assert.throws(() => sharedConfig({}), /CONSOLE_URL[^]*CONSOLE_PROXY_CA/);
  const { origin, base, port, files, proxy: told } = sharedConfig(complete);
  assert.deepEqual([origin, base, port], ["https://dba.example.com", "/console", 8443]);
  assert.deepEqual(files, { cert: "a", key: "b", ca: "c" });
  assert.deepEqual([told.names, told.userHeader], [["console-proxy", "other"], "x-remote-user"]);
  assert.throws(() => sharedConfig({ ...complete, CONSOLE_PROXY_NAMES: "," }), /CONSOLE_PROXY_NAMES/);
  assert.throws(() => sharedConfig({ ...complete, CONSOLE_URL: "http://dba.example.com" }), /CONSOLE_URL/);
});

const origin = "https://databases.example.com";
let authority: Issued;
let serving: Issued;
let server: Listening;
let otherPod: Listening;
const opened: Identity[] = [];
const patches: unknown[] = [];

before(async () => {
  authority = await newAuthority();
  serving = await issueServing(authority, { hosts: ["console"], terms: webhookTerms }, new Date());
  [server, otherPod] = [await podWith(formKeys), await podWith(formKeys)];
});
after(async () => {
  await server.close();
  await otherPod.close();
});

/** All pods have one certificate. */
const formKeys = new SharedFormKeys("of all pods", () => now);

function podWith(keys: SharedFormKeys, users: readonly string[] = []): Promise<Listening> {
  const app = sharedApp({
    ...{ proxy: { ...proxy, users }, origin, base: "", now: () => now, stopped: new AbortController().signal },
    formKeys: () => keys.current,
    open: (identity) => {
      opened.push(identity);
      const some = identity.user === "viewer" ? { withoutVerbs: ["approve", "patch"] } : {};
      const cluster = fakeCluster({ objects: shown, ...some, patched: (body) => patches.push(body) });
      return Promise.resolve(personOf(cluster, [], identity.user));
    },
    onError: (path, error) => assert.fail(`${path}: ${String(error)}`),
  });
  const tls = { cert: serving.certificate, key: serving.key, ca: authority.certificate };
  return listen({ port: 0, tls: { ...tls, requestCert: true, rejectUnauthorized: false } }, () => app);
}

interface Sent {
  readonly to?: Listening;
  readonly client?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly form?: Readonly<Record<string, string>>;
}

function send({
  to = server,
  client,
  headers = {},
  path = "/",
  form,
}: Sent): Promise<{ readonly status: number; readonly text: string }> {
  const type = form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        ...{ host: "127.0.0.1", port: to.port, path, ca: authority.certificate, servername: "console" },
        ...{ method: form === undefined ? "GET" : "POST", agent: false, ...client },
        headers: { ...type, ...headers },
      },
      (response) => {
        textIn(response).then((text) => {
          resolve({ status: response.statusCode ?? 0, text });
        }, reject);
      },
    );
    sending.on("error", reject);
    sending.end(form === undefined ? undefined : new URLSearchParams(form).toString());
  });
}

const jane = { "x-remote-user": "jane", "x-remote-group": "dev" };

test("each request is made as the person of its header, by the word of the proxy's certificate", async () => {
  const client = await issueClient(authority, "console-proxy");
  const { status, text } = await send({ client, headers: jane });
  assert.equal(status, 200);
  assert.match(text, /Signed in as <bdi>jane<\/bdi>/);
  assert.match((await send({ client, headers: { "x-remote-user": "john" } })).text, /Signed in as <bdi>john<\/bdi>/);
  assert.deepEqual(opened, [
    { user: "jane", groups: ["oidc:dev"] },
    { user: "john", groups: [] },
  ]);
});

test("headers count for nothing without the proxy's certificate, and probes need none", async () => {
  const foreign = await issueClient(await newAuthority(), "console-proxy");
  const other = await issueClient(authority, "another-client");
  for (const client of [undefined, foreign, other]) {
    const { status, text } = await send({ ...(client && { client }), headers: jane });
    assert.equal(status, 401);
    assert.doesNotMatch(text, /orders|jane/);
  }
  for (const path of ["/healthz", "/readyz"]) assert.deepEqual(await send({ path }), { status: 200, text: "ok\n" });
});

test("a person for whom the console's account may not act is told that, and no request is made as them", async () => {
  const client = await issueClient(authority, "console-proxy");
  const to = await podWith(formKeys, ["jane"]);
  try {
    const before = opened.length;
    const { status, text } = await send({ to, client, headers: { "x-remote-user": "john" } });
    assert.equal(status, 403);
    assert.match(text, /This console does not act for john/);
    assert.equal(opened.length, before);
    assert.equal((await send({ to, client, headers: jane })).status, 200);
  } finally {
    await to.close();
  }
});

/** One request over a connection, and the session with which the next one may begin. */
function overTls(
  more: ConnectionOptions,
): Promise<{ readonly text: string; readonly session: Buffer | undefined; readonly isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: server.port, ca: authority.certificate, servername: "console" };
    let session: Buffer | undefined;
    let isReused = false;
    const socket = connect({ ...options, ...more }).on("session", (next: Buffer) => (session = next));
    socket.once("secureConnect", () => (isReused = socket.isSessionReused()));
    socket.write("GET / HTTP/1.1\r\nHost: console\r\nX-Remote-User: jane\r\nConnection: close\r\n\r\n");
    textIn(socket).then((text) => {
      resolve({ text, session, isReused });
    }, reject);
  });
}

test("a TLS session that is taken up again shows what it showed at its begin: a certificate, or none", async () => {
  const client = await issueClient(authority, "console-proxy");
  for (const [shows, status] of [
    [client, /^HTTP\/1\.1 200/],
    [{}, /^HTTP\/1\.1 401/],
  ] as const) {
    const { text, session } = await overTls(shows);
    assert.match(text, status);
    const again = await overTls({ ...(session && { session }) });
    assert.ok(again.isReused);
    assert.match(again.text, status);
  }
});

/** What the form of an approval carries. */
function formIn(text: string): Readonly<Record<string, string>> {
  const [, token = ""] = /name="token" value="([^"]+)"/.exec(text) ?? [];
  const [, digest = ""] = /name="digest" value="([^"]+)"/.exec(text) ?? [];
  return { token, digest, when: "window" };
}

test("a page of one pod may be sent to another", async () => {
  const client = await issueClient(authority, "console-proxy");
  const path = "/databases/shop/billing";
  const form = formIn((await send({ client, headers: jane, path })).text);
  const sent = await send({ to: otherPod, client, path: `${path}/approve`, form, headers: { ...jane, origin } });
  assert.equal(sent.status, 303);
  assert.equal(patches.splice(0).length, 1);
});

test("a token of one person's form is none of another's", async () => {
  const client = await issueClient(authority, "console-proxy");
  const path = "/databases/shop/billing";
  const { text } = await send({ client, headers: jane, path });
  const form = formIn(text);
  const as = (user: string, from = origin): Promise<{ readonly status: number }> =>
    send({ client, path: `${path}/approve`, form, headers: { ...jane, "x-remote-user": user, origin: from } });
  assert.equal((await as("john")).status, 403);
  assert.equal((await as("jane", "https://evil.example")).status, 403);
  assert.deepEqual(patches, []);
  assert.equal((await as("jane")).status, 303);
  assert.equal(patches.length, 1);
});
