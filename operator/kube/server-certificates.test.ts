// Certificates of Databases in an API server's Secrets: their life over lost and damaged ones, and over namespaces.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import test from "node:test";
import { issueAuthority } from "../certificates/issue";
import { databaseTerms, dayMs } from "../certificates/rotation";
import type { Issued } from "../domain/ports";
import { isRecord } from "../objects/json";
import { ApiError, KubeClient } from "./client";
import { encode } from "./operator-secrets";
import { createServerCertificates } from "./server-certificates";

const key = "shop/orders";
const authorities = (pem: string): string[] => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];

/** Objects in memory, by path. */
class MemoryClient extends KubeClient {
  readonly objects = new Map<string, Record<string, unknown>>();
  readonly asked: string[] = [];
  readonly patched: string[] = [];
  ahead = 0;
  #version = 0;

  constructor() {
    const access = {
      server: "http://127.0.0.1:1",
      headers: () => Promise.resolve({}),
      connection: () => Promise.resolve({}),
    };
    super(access, "test");
  }
  override get aheadMs(): number {
    return this.ahead;
  }
  override find(path: string): Promise<unknown> {
    this.asked.push(path);
    return Promise.resolve(this.objects.get(path));
  }
  override create(path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(this.#put(`${path}/${nameOf(body)}`, body));
  }
  override replace(path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(this.#put(path, body));
  }
  override mergePatch(path: string, body: unknown, as?: string): Promise<unknown> {
    const found = this.objects.get(path);
    const data = isRecord(body) && isRecord(body["data"]) ? body["data"] : {};
    if (found === undefined) return Promise.reject(new ApiError(404, "NotFound", path));
    this.patched.push(`${path.split("/").at(-1) ?? ""} by ${as ?? ""}`);
    return Promise.resolve(
      this.#put(path, { ...found, data: { ...(isRecord(found["data"]) ? found["data"] : {}), ...data } }),
    );
  }
  override delete(path: string): Promise<"gone"> {
    this.objects.delete(path);
    return Promise.resolve("gone");
  }
  namespace(name: string, uid: string): void {
    this.objects.set(`/api/v1/namespaces/${name}`, { metadata: { uid } });
  }
  /** As a run leaves it for members. */
  serve({ pem }: Issued): void {
    const data = { "ca.crt": pem.authorities, "tls.crt": pem.certificate, "tls.key": pem.key };
    const encoded = Object.fromEntries(Object.entries(data).map(([name, text]) => [name, encode(text)]));
    const metadata = { name: "orders-server-tls" };
    this.#put(`/api/v1/namespaces/shop/secrets/${metadata.name}`, { metadata, data: encoded });
    const ca = { "ca.crt": encode(pem.authorities) };
    this.#put("/api/v1/namespaces/shop/secrets/orders-ca", { metadata: { name: "orders-ca" }, data: ca });
  }
  #put(path: string, body: unknown): unknown {
    const { metadata, ...rest } = isRecord(body) ? body : {};
    const stored = {
      ...rest,
      metadata: { ...(isRecord(metadata) ? metadata : {}), resourceVersion: String(++this.#version) },
    };
    this.objects.set(path, stored);
    return stored;
  }
}

function nameOf(body: unknown): string {
  const metadata = isRecord(body) ? body["metadata"] : undefined;
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  if (typeof name !== "string") throw new ApiError(422, "Invalid", "no name");
  return name;
}

const record = "/api/v1/namespaces/system/secrets/certificates.shop.orders";

class Fixture {
  readonly client = new MemoryClient();
  now = new Date("2026-11-28T00:00:00Z");
  readonly #store = { client: this.client, namespace: "system" };
  readonly #certificates = createServerCertificates(this.#store, { terms: databaseTerms, now: () => this.now });
  constructor() {
    this.client.namespace("shop", "uid-1");
  }
  ensure(isFirst = false, published?: Readonly<Record<string, string>>): Promise<Issued> {
    return this.#certificates.ensure(key, { isFirst, ...(published !== undefined && { published }) });
  }
  /** As a preview does, which writes nothing. */
  look(): Promise<Issued> {
    const issuing = { terms: databaseTerms, now: () => this.now, looksOnly: true } as const;
    return createServerCertificates(this.#store, issuing).ensure(key);
  }
  isPublished(issued: Issued): Promise<boolean> {
    return this.#certificates.isPublished(key, issued);
  }
  publish(issued: Issued): Promise<void> {
    return this.#certificates.publish(key, issued);
  }
  remove(): Promise<void> {
    return this.#certificates.remove(key);
  }
  pass(days: number): void {
    this.now = new Date(this.now.getTime() + days * dayMs);
  }
}

const isSignedBy = ({ pem }: Issued, authority: string): boolean =>
  new X509Certificate(pem.certificate).verify(new X509Certificate(authority).publicKey);

test("each Database has an authority of its own, and a certificate for all names by which its clients know it", async () => {
  const at = new Fixture();
  const issued = await at.ensure(true);
  assert.equal(authorities(issued.pem.authorities).length, 1);
  const certificate = new X509Certificate(issued.pem.certificate);
  for (const host of [
    ...["orders", "orders.shop", "orders.shop.svc", "orders.shop.svc.cluster.local", "orders-ro.shop.svc"],
    ...["orders-any.shop.svc", "orders-1.orders-headless.shop.svc", "localhost"],
  ])
    assert.ok(certificate.checkHost(host), host);
  for (const host of ["invoices.shop.svc", "orders.sales.svc", "orders-1"])
    assert.equal(certificate.checkHost(host), undefined, host);
  assert.equal(issued.issuance.certificateUntil, "2027-02-26T00:00:00.000Z");
  const dueInDays = (Date.parse(issued.issuance.due) - at.now.getTime()) / dayMs;
  assert.ok(dueInDays > 55 && dueInDays < 60, `nothing follows from what is settled: ${dueInDays} days`);
  assert.deepEqual(await at.ensure(), issued, "nothing is due");
});

test("the key that signs is in the operator's namespace alone", async () => {
  const at = new Fixture();
  const { pem } = await at.ensure(true);
  assert.doesNotMatch(pem.authorities, /PRIVATE KEY/);
  assert.deepEqual(
    [...at.client.objects.keys()].filter((path) => path.includes("/secrets/")),
    [record],
  );
});

test("a lost record locks no client out: what is served stays until all know the next authority", async () => {
  const at = new Fixture();
  const first = await at.ensure(true);
  at.client.serve(first);
  const [old = ""] = authorities(first.pem.authorities);
  for (const days of [0, 45, 59.9, 60]) {
    const lost = new Fixture();
    lost.now = new Date(at.now.getTime() + days * dayMs);
    lost.client.serve(first);
    const found = await lost.ensure();
    assert.equal(found.pem.certificate.trim(), first.pem.certificate.trim(), `${days} days`);
    assert.equal(authorities(found.pem.authorities).length, 2);
    const [, next = ""] = authorities(found.pem.authorities);
    const since = lost.now.getTime();
    for (let now = found; !isSignedBy(now, next); now = await lost.ensure()) {
      assert.ok(isSignedBy(now, old));
      assert.ok(new X509Certificate(now.pem.certificate).validToDate > lost.now, "it never expires");
      lost.now = new Date(now.issuance.due);
    }
    const settled = (lost.now.getTime() - since) / dayMs;
    assert.ok(settled > 28.9, `all clients that read what to trust within ${settled} days know the next one`);
  }
});

test("an authority signs 30 days after clients could read it, however long the run took that told them", async () => {
  const at = new Fixture();
  let published: Record<string, string> = {};
  const asked = (): Promise<Issued> => at.ensure(false, published);
  const publish = ({ fingerprints }: Issued): void => {
    const now = at.now.toISOString();
    published = Object.fromEntries(fingerprints.map((one) => [one, published[one] ?? now]));
  };
  /** A run a day, and what was issued for the last one. */
  const daily = async (days: number, succeeds: boolean): Promise<Issued> => {
    let last = await asked();
    for (let day = 0; day < days; day++) {
      last = await asked();
      if (succeeds) publish(last);
      at.pass(1);
    }
    return last;
  };
  await daily(1, true);
  at.pass((databaseTerms.authorityMs / dayMs) * (2 / 3));
  const failing = await daily(50, false);
  const [old = "", next = ""] = authorities(failing.pem.authorities);
  assert.ok(isSignedBy(failing, old));
  assert.ok(isSignedBy(await daily(30, true), old), "no sooner than 30 days after it can be read");
  assert.ok(isSignedBy(await daily(1, true), next));
  assert.equal(authorities((await daily(29, true)).pem.authorities).length, 2);
  assert.equal(authorities((await daily(2, true)).pem.authorities).length, 1);
});

test("of what members show nothing is taken over that neither is an authority of ours nor has signed for them", async () => {
  const at = new Fixture();
  const first = await at.ensure(true);
  const stranger = await issueAuthority({ ...databaseTerms, subject: "another" }, at.now);
  const lost = new Fixture();
  const edited = `${first.pem.authorities}${stranger.certificate}\n`;
  lost.client.serve({ ...first, pem: { ...first.pem, authorities: edited } });
  const found = authorities((await lost.ensure()).pem.authorities);
  assert.equal(found.length, 2);
  assert.ok(!found.includes(stranger.certificate.trim()));
});

test("by a clock that is far from the API server's nothing is issued, and what is there is used", async () => {
  const at = new Fixture();
  at.client.ahead = -400_000;
  await assert.rejects(at.ensure(true), /the clock is -400 s ahead of the API server's/);
  at.client.ahead = 200_000;
  const issued = await at.ensure(true);
  at.client.ahead = 400_000;
  assert.deepEqual(await at.ensure(), issued);
  at.pass(365);
  await assert.rejects(at.ensure(), /no certificate is issued/);
  assert.equal(at.client.objects.get(record) !== undefined, true);
});

test("what was issued is published where both Secrets show all of it", async () => {
  const at = new Fixture();
  const former = await at.ensure(true);
  assert.equal(await at.isPublished(former), false);
  at.client.serve(former);
  assert.equal(await at.isPublished(former), true);
  at.pass(70);
  const issued = await at.ensure();
  assert.equal(await at.isPublished(issued), false);
  at.client.serve({ ...issued, pem: { ...issued.pem, authorities: "others" } });
  assert.equal(await at.isPublished(issued), false);
});

test("it can be published without a run: clients first, by a field manager of its own", async () => {
  const at = new Fixture();
  at.client.serve(await at.ensure(true));
  at.pass(70);
  const issued = await at.ensure();
  await at.publish(issued);
  assert.equal(await at.isPublished(issued), true);
  const by = "database-operator-renewal";
  assert.deepEqual(at.client.patched, [`orders-ca by ${by}`, `orders-server-tls by ${by}`]);
});

test("a damaged record is made again in the same way", async () => {
  const at = new Fixture();
  const first = await at.ensure(true);
  at.client.serve(first);
  at.client.objects.set(record, { metadata: { name: "x", resourceVersion: "7" }, data: { "tls.crt": "AAAA" } });
  const found = await at.ensure();
  assert.equal(found.pem.certificate.trim(), first.pem.certificate.trim());
  assert.equal(authorities(found.pem.authorities).length, 2);
});

test("a namespace that is recreated may be another tenant's: it does not get the authority of the former one", async () => {
  const at = new Fixture();
  const former = await at.ensure(true);
  at.client.namespace("shop", "uid-2");
  const issued = await at.ensure(true);
  assert.notEqual(issued.pem.authorities, former.pem.authorities);
  assert.equal(authorities(issued.pem.authorities).length, 1);
  assert.deepEqual(await at.ensure(true), issued, "the new one is kept for it");
});

test("a Database that is created again in its namespace continues with its authority", async () => {
  const at = new Fixture();
  const former = await at.ensure(true);
  at.pass(1);
  assert.equal((await at.ensure(true)).pem.authorities, former.pem.authorities);
  await at.remove();
  assert.notEqual((await at.ensure(true)).pem.authorities, former.pem.authorities);
});

test("a preview takes what is there, due or not; where that is damaged, it shows what members have and another authority", async () => {
  const at = new Fixture();
  const first = await at.ensure(true);
  at.client.serve(first);
  at.pass(70);
  assert.deepEqual((await at.look()).pem, first.pem);
  at.client.objects.set(record, { metadata: { name: "x", resourceVersion: "7" }, data: { "tls.crt": "AAAA" } });
  assert.equal((await at.look()).pem.certificate.trim(), first.pem.certificate.trim());
});

test("a preview reads nothing but the record: who previews may not read namespaces", async () => {
  const at = new Fixture();
  await at.ensure(true);
  at.client.asked.length = 0;
  await at.look();
  assert.deepEqual(at.client.asked, [record]);
});
