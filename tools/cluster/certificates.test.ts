import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { type Certificates, openCertificates } from "./certificates";

let root: string;
let certificates: Certificates;

const open = (): Promise<Certificates> =>
  openCertificates({ cluster: "test", directory: join(root, "certificates"), kubeconfigs: join(root, "kubeconfigs") });
const read = async (file: string): Promise<X509Certificate> => new X509Certificate(await readFile(file));

before(async () => {
  root = await mkdtemp(join(tmpdir(), "certificates-"));
  certificates = await open();
});
after(async () => {
  await rm(root, { recursive: true });
});

test("a client's certificate names its user and groups, and comes from the authority", async () => {
  const subject = { user: "system:node:one", groups: ["system:nodes", "other"] };
  const files = await certificates.client("node", subject);
  const [certificate, authority] = [await read(files.certificate), await read(certificates.authority)];
  assert.equal(certificate.subject, "O=system:nodes\nO=other\nCN=system:node:one");
  assert(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
  assert(certificate.checkPrivateKey(createPrivateKey(await readFile(files.key))));
  assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(certificate.ca, false);
});

test("a server's certificate holds for its names and addresses, and for no others", async () => {
  const { certificate } = await certificates.server("server", { user: "server" }, ["localhost", "10.96.0.1"]);
  const server = await read(certificate);
  assert.equal(server.checkHost("localhost"), "localhost");
  assert.equal(server.checkIP("10.96.0.1"), "10.96.0.1");
  assert.equal(server.checkHost("example.com"), undefined);
  assert.equal(server.checkIP("10.96.0.2"), undefined);
});

test("certificates hold now and for years", async () => {
  const { validFromDate, validToDate } = await read(certificates.authority);
  assert(validFromDate.getTime() < Date.now());
  assert(validToDate.getTime() > Date.now() + 365 * 86_400_000);
});

test("only their owner may read keys", async () => {
  const files = await certificates.client("secret", { user: "secret" });
  for (const key of [files.key, certificates.authorityKey]) assert.equal((await stat(key)).mode & 0o077, 0);
});

test("a key pair belongs together", async () => {
  const files = await certificates.keyPair("accounts");
  const derived = createPublicKey(await readFile(files.key)).export({ type: "spki", format: "pem" });
  const written = createPublicKey(await readFile(files.certificate)).export({ type: "spki", format: "pem" });
  assert.equal(written, derived);
});

test("what was issued once stays when the authority is opened again", async () => {
  const before = await certificates.client("stable", { user: "stable" });
  const text = await readFile(before.certificate, "utf8");
  const again = await open();
  assert.equal(await readFile((await again.client("stable", { user: "stable" })).certificate, "utf8"), text);
  const later = await read((await again.client("later", { user: "later" })).certificate);
  assert(later.checkIssued(await read(certificates.authority)));
});
