// What programs take for a member, and what not: over real connections, to a server that shows a certificate.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, type TestContext } from "node:test";
import { connect, createServer, type ConnectionOptions } from "node:tls";
import type { Issued } from "../../../operator/certificates/certificate-set";
import { issueAuthority, issueServing } from "../../../operator/certificates/issue";
import { databaseTerms } from "../../../operator/certificates/rotation";
import { peerTls } from "./peer-tls";

const former = process.env;
afterEach(() => {
  process.env = former;
});

const newAuthority = (): Promise<Issued> => issueAuthority(databaseTerms, new Date());

/** The port of a member with a certificate of that authority, for the names of its Services. */
async function memberOf(t: TestContext, authority: Issued): Promise<number> {
  const use = { hosts: ["orders"], terms: databaseTerms };
  const { certificate, key } = await issueServing(authority, use, new Date());
  const server = createServer({ cert: certificate, key }, (socket) => socket.end("hello"));
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Whether a connection to an address, which no certificate is for, is taken. */
const isTaken = (port: number, options: ConnectionOptions | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ ...options, host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });

test("without what to trust there is no TLS", () => {
  process.env = { PATH: "" };
  assert.equal(peerTls(), undefined);
});

test("a Job takes a member by its authority, by whatever address, and no one else", async (t) => {
  const [own, other] = [await newAuthority(), await newAuthority()];
  process.env = { DATABASE_AUTHORITIES: own.certificate };
  assert.equal(await isTaken(await memberOf(t, own), peerTls()?.options), true);
  assert.equal(await isTaken(await memberOf(t, other), peerTls()?.options), false);
});

test("whether members without TLS are none: a pod beside them is told, a member by how it replicates", () => {
  const isRequired = (env: NodeJS.ProcessEnv, own?: string): boolean | undefined => {
    process.env = env;
    return peerTls(own)?.isRequired;
  };
  const job = { DATABASE_AUTHORITIES: "PEM" };
  assert.deepEqual(
    [job, { ...job, PGSSLMODE: "verify-ca" }, { ...job, PGSSLMODE: "prefer" }].map((env) => isRequired(env)),
    [true, true, false],
  );
  const file = { PGSSLROOTCERT: __filename };
  assert.equal(isRequired({ ...file, PGSSLMODE: "prefer" }), false);
  assert.equal(isRequired({ ...file, PGSSLMODE: "verify-ca" }), true);
  assert.equal(isRequired({}, __filename), false);
  const member = { PATRONI_REPLICATION_SSLMODE: "verify-ca", PATRONI_REPLICATION_SSLROOTCERT: __filename };
  assert.equal(isRequired(member, __filename), true);
});

test("a member trusts what its files say now", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "peer-tls-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "ca.crt");
  const [own, next] = [await newAuthority(), await newAuthority()];
  process.env = { PATRONI_REPLICATION_SSLROOTCERT: file, DATABASE_AUTHORITIES: "of a Job" };
  const port = await memberOf(t, next);
  await writeFile(file, own.certificate);
  assert.equal(await isTaken(port, peerTls()?.options), false);
  await writeFile(file, `${own.certificate}\n${next.certificate}`);
  assert.equal(await isTaken(port, peerTls()?.options), true);
});
