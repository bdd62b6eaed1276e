import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { TLSSocket } from "node:tls";
import { issueAuthority, issueServing } from "../../../operator/certificates/issue";
import { databaseTerms } from "../../../operator/certificates/rotation";
import { shownCertificate } from "./shown-certificate";

/** A server that answers the first message; its port. */
function serving(t: TestContext, answer: (socket: Socket, first: Buffer) => unknown): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (first) => answer(socket, first));
  });
  t.after(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

test("what a server shows is seen as its clients see it, be it good or not", async (t) => {
  const authority = await issueAuthority(databaseTerms, new Date(0));
  const { certificate: cert, key } = await issueServing(authority, { hosts: ["a"], terms: databaseTerms }, new Date(0));
  const ends: string[] = [];
  const port = await serving(t, (socket, first) => {
    assert.deepEqual([first.readInt32BE(0), first.readInt32BE(4)], [8, 80_877_103]);
    socket.write("S");
    const secure = new TLSSocket(socket, { isServer: true, cert, key });
    secure.resume();
    for (const end of ["error", "end"]) secure.on(end, () => ends.push(end));
  });
  const { fingerprint, until } = await shownCertificate(port);
  assert.equal(fingerprint, new X509Certificate(cert).fingerprint256);
  assert.equal(until.toISOString(), "1970-04-01T00:00:00.000Z");
  assert.deepEqual(ends, ["end"], "the server has nothing to complain of");
});

test("a server without TLS, or that is not there, is an error", async (t) => {
  const port = await serving(t, (socket) => socket.end("N"));
  await assert.rejects(shownCertificate(port), /knows no TLS/);
  await assert.rejects(shownCertificate(1), /ECONNREFUSED/);
});
