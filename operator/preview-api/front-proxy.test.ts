import assert from "node:assert/strict";
import test from "node:test";
import { newAuthority } from "../../test/fakes/client-certificate";
import { fingerprintsIn, frontProxyOf, userOf, type FrontProxy, type Headers } from "./front-proxy";

const data = async (): Promise<Record<string, string>> => ({
  "client-ca-file": "",
  "requestheader-client-ca-file": (await newAuthority()).certificate,
  "requestheader-allowed-names": '["front-proxy-client"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
});

const headers: Headers = {
  "x-remote-user": ["jane"],
  "x-remote-group": ["dev", "a, group with a comma", "system:authenticated"],
  "x-remote-extra-example.com%2fscopes": ["a", "b"],
};

async function proxied(): Promise<{ proxy: FrontProxy; issuer: string }> {
  const given = await data();
  const proxy = frontProxyOf(given);
  const [issuer] = fingerprintsIn(given["requestheader-client-ca-file"] ?? "");
  assert.ok(proxy && issuer);
  return { proxy, issuer };
}

test("the API server says who asks: name, groups and the rest, as they were", async () => {
  const { proxy, issuer } = await proxied();
  assert.deepEqual(userOf(headers, { commonName: "front-proxy-client", issuers: [issuer] }, proxy), {
    username: "jane",
    groups: ["dev", "a, group with a comma", "system:authenticated"],
    extra: { "example.com/scopes": ["a", "b"] },
  });
});

test("a UID is handed on where the API server has one to tell", async () => {
  const proxy = frontProxyOf({ ...(await data()), "requestheader-uid-headers": '["X-Remote-Uid"]' });
  assert.ok(proxy);
  const shown = { commonName: "front-proxy-client", issuers: [...proxy.authorities] };
  assert.equal(userOf({ ...headers, "x-remote-uid": ["7"] }, shown, proxy)?.uid, "7");
});

/** As Node hands out what the API server has sent. */
const sent = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

test("names are those that the API server sent, letter for letter", async () => {
  const { proxy, issuer } = await proxied();
  const shown = { commonName: "front-proxy-client", issuers: [issuer] };
  const named = {
    "x-remote-user": [sent("jürgen@例え")],
    "x-remote-group": [sent("Entwickler für α"), "dev"],
    "x-remote-extra-scopes": [sent("größe")],
    "user-agent": ["\xfc"],
  };
  assert.deepEqual(userOf(named, shown, proxy), {
    username: "jürgen@例え",
    groups: ["Entwickler für α", "dev"],
    extra: { scopes: ["größe"] },
  });
  for (const broken of ["x-remote-user", "x-remote-group", "x-remote-extra-scopes"])
    assert.equal(userOf({ ...named, [broken]: ["j\xfcrgen"] }, shown, proxy), undefined, broken);
});

test("headers of any other client say nothing", async () => {
  const { proxy, issuer } = await proxied();
  const shown = { commonName: "front-proxy-client", issuers: [issuer] };
  const others: Readonly<Record<string, Parameters<typeof userOf>>> = {
    "without a certificate": [headers, undefined, proxy],
    "of another authority": [headers, { ...shown, issuers: ["00"] }, proxy],
    "of another name": [headers, { ...shown, commonName: "kubelet" }, proxy],
    "that names no one": [{ ...headers, "x-remote-user": [""] }, shown, proxy],
    "that names no one at all": [{}, shown, proxy],
    "before the API server is known": [headers, shown, undefined],
  };
  for (const [what, given] of Object.entries(others)) assert.equal(userOf(...given), undefined, what);
});

test("where no names are limited, any certificate of the authority will do", async () => {
  const proxy = frontProxyOf({ ...(await data()), "requestheader-allowed-names": "[]" });
  assert.ok(proxy);
  assert.equal(userOf(headers, { commonName: "any", issuers: [...proxy.authorities] }, proxy)?.username, "jane");
});

test("an API server that authenticates for no other one is known as such, and what cannot be read is an error", async () => {
  assert.equal(frontProxyOf({ "client-ca-file": "x" }), undefined);
  assert.throws(() => frontProxyOf({ "requestheader-client-ca-file": "x", "requestheader-allowed-names": "{" }));
  const broken = { ...(await data()), "requestheader-username-headers": '{"a":1}' };
  assert.throws(() => frontProxyOf(broken));
});
