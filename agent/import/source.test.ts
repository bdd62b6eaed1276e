import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { rootCertificates } from "node:tls";
import { sourceOf, titleOf, tlsOptionsOf } from "./source";

const former = process.env;

beforeEach(() => {
  process.env = {
    ...former,
    ...{ IMPORT_HOST: "old-db.example.com", IMPORT_PORT: "5432", IMPORT_DATABASES: '["shop","stock"]' },
    ...{ IMPORT_USERNAME: "reader", IMPORT_PASSWORD: "hunter2", IMPORT_TLS: "Verify" },
  };
});
afterEach(() => {
  process.env = former;
});

test("it is told by where it is, without any secret", async () => {
  assert.equal(titleOf(await sourceOf()), "shop, stock of old-db.example.com:5432");
});

test("by default its certificate must be of an authority that all know, and name it", async () => {
  const options = tlsOptionsOf(await sourceOf());
  assert.deepEqual([options?.host, options?.rejectUnauthorized], ["old-db.example.com", true]);
  assert.ok(String(options?.ca).includes(rootCertificates[0] ?? "none"));
});

test("an authority of its own takes the place of those, and must be there", async () => {
  const directory = await mkdtemp(join(tmpdir(), "source-"));
  try {
    const file = join(directory, "ca.crt");
    process.env["IMPORT_AUTHORITY"] = file;
    await assert.rejects(sourceOf(), /the Secret of initFrom\.tls\.ca must have that key/);
    await writeFile(file, "its own");
    assert.equal(tlsOptionsOf(await sourceOf())?.ca, "its own");
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("encryption alone, or none, has to be asked for", async () => {
  process.env["IMPORT_TLS"] = "Require";
  assert.equal(tlsOptionsOf(await sourceOf())?.rejectUnauthorized, false);
  process.env["IMPORT_TLS"] = "Disable";
  assert.equal(tlsOptionsOf(await sourceOf()), undefined);
  process.env["IMPORT_TLS"] = "Perhaps";
  await assert.rejects(sourceOf(), /Verify/);
});
