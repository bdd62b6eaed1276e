import assert from "node:assert/strict";
import test from "node:test";
import { proxyFor } from "./proxy";

const proxy = "http://proxy:3128";
/** Whether a server is asked directly. */
const cases: readonly (readonly [server: string, exempt: string, isDirect: boolean])[] = [
  ["https://api.example.com:6443", "", false],
  ["https://api.example.com:6443", "other.com, example.com", true],
  ["https://api.example.com:6443", ".example.com", true],
  ["https://api.example.com:6443", "*.example.com", true],
  ["https://example.com", "*.example.com", false],
  ["https://notexample.com", "example.com", false],
  ["https://api.example.com:6443", "API.Example.com:6443", true],
  ["https://api.example.com:6443", "api.example.com:443", false],
  ["https://api.example.com", "api.example.com:443", true],
  ["https://10.1.2.3:6443", "10.0.0.0/8", true],
  ["https://11.1.2.3:6443", "10.0.0.0/8", false],
  ["https://10.1.2.3:6443", "10.1.2.3", true],
  ["https://10.1.2.3:6443", "2.3,10.0.0.0/99,/8,x/y", false],
  ["https://[fd00::7]:6443", "fd00::/8", true],
  ["https://[fd00::7]:6443", "fd00::7", true],
  ["https://anything", "*", true],
  ["https://localhost:6443", "", true],
  ["https://127.0.0.1:6443", "", true],
  ["https://[::1]:6443", "", true],
];
for (const [server, exempt, isDirect] of cases) {
  test(`${server} is asked ${isDirect ? "directly" : "by the proxy"} where NO_PROXY is "${exempt}"`, () => {
    const expected = isDirect ? undefined : proxy;
    assert.equal(proxyFor(server, { HTTPS_PROXY: proxy, NO_PROXY: exempt }), expected);
    assert.equal(proxyFor(server, { https_proxy: proxy, no_proxy: exempt }), expected);
  });
}

test("which proxy depends on the protocol, and one without a scheme is http", () => {
  assert.equal(proxyFor("http://api:80", { HTTPS_PROXY: proxy }), undefined);
  assert.equal(proxyFor("http://api:80", { HTTP_PROXY: "proxy:80" }), "http://proxy:80");
  assert.equal(proxyFor("https://api:443", {}), undefined);
});
