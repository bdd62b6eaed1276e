import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import test from "node:test";
import { bundleOf, isSignedBy, lifeOf, parseSet, type CertificateSet } from "./certificate-set";
import { issueAuthority, issueServing } from "./issue";
import { CertificateKeeper, type CertificateData, type CertificateStore, type Renewal, type Stored } from "./keeper";
import { databaseTerms, dayMs, nextStep, webhookTerms, type CertificateTerms } from "./rotation";

const hosts = ["database-conversion-webhook.databases.svc"];

/** A Secret in memory, with a fence as the API server has it. */
class FakeStore implements CertificateStore {
  stored: Stored | undefined;
  /** What is served with, elsewhere. */
  inUse: CertificateSet | undefined;
  #version = 0;

  read(): Promise<Stored | undefined> {
    return Promise.resolve(this.stored);
  }
  create(data: CertificateData): Promise<Stored | undefined> {
    return Promise.resolve(this.stored === undefined ? this.#put(data) : undefined);
  }
  replace(data: CertificateData, version: string): Promise<Stored | undefined> {
    return Promise.resolve(this.stored?.version === version ? this.#put(data) : undefined);
  }
  #put(data: CertificateData): Stored {
    this.stored = { data, version: String(++this.#version) };
    return this.stored;
  }
}

/** Time, as the test wants it. */
class Clock {
  #time = Date.parse("2026-11-22T00:00:00Z");
  readonly now = (): Date => new Date(this.#time);
  pass(ms: number): void {
    this.#time += ms;
  }
}

const { settleMs } = webhookTerms;

class Replica {
  readonly renewals: Renewal[] = [];
  readonly used: CertificateSet[] = [];
  readonly #keeper: CertificateKeeper;

  constructor(store: FakeStore, clock: Clock, isLeading = true, terms: CertificateTerms = webhookTerms) {
    this.#keeper = new CertificateKeeper({
      store,
      inUse: () => Promise.resolve(store.inUse),
      hosts,
      terms,
      now: clock.now,
      isLeading: () => isLeading,
      onChange: (set) => this.used.push(set),
      onRenewal: (what) => this.renewals.push(what),
    });
  }
  get held(): CertificateSet {
    assert(this.#keeper.held);
    return this.#keeper.held;
  }
  check(): Promise<Date | undefined> {
    return this.#keeper.check();
  }
}

/** Whether a client that trusts `bundle` takes what is served. */
function isTrusted(bundle: string, { serving }: CertificateSet, now: Date): boolean {
  const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  const { from, until } = lifeOf(serving);
  const isTimely = from <= now && now < until;
  return isTimely && authorities.some((certificate) => isSignedBy(serving, { certificate, key: "" }, hosts));
}

test("certificates are made where there are none: an authority, and a server's for the Service's name, with its key", async () => {
  const replica = new Replica(new FakeStore(), new Clock());
  await replica.check();
  const { authorities, serving } = replica.held;
  assert.equal(authorities.length, 1);
  const certificate = new X509Certificate(serving.certificate);
  assert.equal(certificate.subjectAltName, `DNS:${hosts[0] ?? ""}`);
  assert.equal(certificate.ca, false);
  assert.equal(new X509Certificate(bundleOf(replica.held)).ca, true);
});

test("of two operators that create them at once one wins, and both use the winner's", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  const [one, other] = [new Replica(store, clock), new Replica(store, clock, false)];
  await Promise.all([one.check(), other.check()]);
  assert.deepEqual(one.held, other.held);
  assert.deepEqual(parseSet(store.stored?.data ?? {}), one.held);
});

test("nothing is written and nothing rotates while nothing is due", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  const replica = new Replica(store, clock);
  await replica.check();
  clock.pass(100 * dayMs);
  await replica.check();
  assert.equal(store.stored?.version, "1");
  assert.equal(replica.used.length, 1);
});

test("the server's certificate is renewed at two thirds of its life, under the same authority, by the leader", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  const [leader, standby] = [new Replica(store, clock), new Replica(store, clock, false)];
  await leader.check();
  await standby.check();
  clock.pass(244 * dayMs);
  await standby.check();
  assert.equal(store.stored?.version, "1");
  await leader.check();
  await standby.check();
  assert.deepEqual(leader.renewals, ["introduce", "issue"]);
  assert.equal(leader.used.length, 2);
  assert.deepEqual(standby.held, leader.held);
  assert.equal(bundleOf(leader.used[0] ?? leader.held), bundleOf(leader.held));
});

/** Every look of `spanMs`, and whether a client is served that read what to trust as long before as `terms` allow, and one that reads it now. */
async function rotate(terms: CertificateTerms, spanMs: number): Promise<Replica> {
  const clock = new Clock();
  const replica = new Replica(new FakeStore(), clock, true, terms);
  const bundles: { readonly since: Date; readonly bundle: string }[] = [];
  const end = clock.now().getTime() + spanMs;
  while (clock.now().getTime() < end) {
    const { length: done } = replica.renewals;
    const due = await replica.check();
    assert(due !== undefined && due > clock.now(), "the next look is in the future");
    const now = clock.now();
    assert(replica.renewals.length > done, `nothing follows from the look at ${now.toISOString()}`);
    bundles.push({ since: now, bundle: bundleOf(replica.held) });
    const old = bundles.findLast(({ since }) => since.getTime() <= now.getTime() - terms.settleMs + 1000);
    for (const { bundle } of [...(old === undefined ? [] : [old]), ...bundles.slice(-1)])
      assert(isTrusted(bundle, replica.held, now), `not trusted at ${now.toISOString()}`);
    assert(replica.held.authorities.length <= 2);
    clock.pass(due.getTime() - clock.now().getTime());
  }
  return replica;
}

const years = (count: number): number => count * 365 * dayMs;

test("over 30 years, looked at when it is due or late, what is served is trusted by the bundle of an hour ago and of now", async () => {
  const { renewals } = await rotate(webhookTerms, years(30));
  const count = (what: Renewal): number => renewals.filter((renewal) => renewal === what).length;
  assert.deepEqual([count("introduce"), count("retire")], [5, 4]);
  assert(count("issue") > 30, `${count("issue")} server's certificates`);
});

test("a Database's clients that read what to trust 30 days ago are served, too, over 15 years", async () => {
  const { renewals } = await rotate(databaseTerms, years(15));
  const count = (what: Renewal): number => renewals.filter((renewal) => renewal === what).length;
  assert.deepEqual([count("introduce"), count("retire")], [3, 2]);
  assert(count("issue") > 90, `${count("issue")} server's certificates`);
});

test("keys that are lost while authorities change lock no client out: what is served stays until all know one that signs", async () => {
  const fromThen = async (days: number): Promise<void> => {
    const [store, clock] = [new FakeStore(), new Clock()];
    const first = new Replica(store, clock, true, databaseTerms);
    while (first.renewals.at(-1) !== "introduce" || first.renewals.length === 1) {
      const due = await first.check();
      if (first.held.authorities.length === 1) clock.pass((due?.getTime() ?? 0) - clock.now().getTime());
    }
    clock.pass(days * dayMs);
    await first.check();
    const { authorities, serving } = first.held;
    store.stored = undefined;
    store.inUse = { serving, authorities: authorities.map(({ certificate }) => ({ certificate, key: "" })) };
    const later = new Replica(store, clock, true, databaseTerms);
    const read: { readonly since: number; readonly bundle: string }[] = [
      { since: clock.now().getTime() - 1, bundle: bundleOf(first.held) },
    ];
    for (let day = 0; day < 130; day++) {
      await later.check();
      const now = clock.now();
      read.push({ since: now.getTime(), bundle: bundleOf(later.held) });
      for (const { since, bundle } of read.filter((one) => one.since >= now.getTime() - databaseTerms.settleMs))
        assert(isTrusted(bundle, later.held, now), `lost after ${days} days: ${day} later, of ${since}`);
      clock.pass(dayMs);
    }
    assert.equal(later.held.authorities.length, 1);
  };
  for (const days of [1, 10, 20, 29]) await fromThen(days);
});

test("a server's certificate is for all members by one name, and for no other host", async () => {
  const clock = new Clock();
  const use = { hosts: ["orders", "*.orders-headless.shop.svc"], terms: databaseTerms };
  const authority = await issueAuthority(use.terms, clock.now());
  const serving = await issueServing(authority, use, clock.now());
  assert(isSignedBy(serving, authority, use.hosts), "it is what was asked for");
  assert(isSignedBy(serving, authority, ["orders-0.orders-headless.shop.svc"]));
  for (const host of ["invoices", "orders-headless.shop.svc", "a.b.orders-headless.shop.svc"])
    assert(!isSignedBy(serving, authority, [host]), host);
  const set = { authorities: [authority], serving };
  assert.equal(nextStep(set, use, clock.now()).kind, "wait");
  assert.equal(nextStep(set, { ...use, hosts: ["*.orders-headless.sales.svc"] }, clock.now()).kind, "issue");
});

test("an operator that comes back after everything has expired creates it all again, and drops what was trusted later", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  await new Replica(store, clock).check();
  clock.pass(20 * 365 * dayMs);
  const replica = new Replica(store, clock);
  await replica.check();
  assert(isTrusted(bundleOf(replica.held), replica.held, clock.now()));
  assert.equal(replica.held.authorities.length, 2);
  clock.pass(settleMs);
  await replica.check();
  assert(isTrusted(bundleOf(replica.held), replica.held, clock.now()));
  assert.equal(replica.held.authorities.length, 1);
});

for (const count of [1, 7, 11])
  test(`a clock that is ${count} years ahead for a while, and then right again, locks no client out`, async () => {
    const [store, clock] = [new FakeStore(), new Clock()];
    const replica = new Replica(store, clock, true, databaseTerms);
    await replica.check();
    clock.pass(40 * dayMs);
    await replica.check();
    const before = bundleOf(replica.held);
    clock.pass(years(count));
    await replica.check();
    await replica.check();
    clock.pass(-years(count));
    await replica.check();
    for (let day = 0; day < 400; day++) {
      await replica.check();
      assert(isTrusted(bundleOf(replica.held), replica.held, clock.now()), `${day} days later`);
      assert(isTrusted(before, replica.held, clock.now()), `who read what to trust before, ${day} days later`);
      clock.pass(dayMs);
    }
  });

test("certificates that are issued in one hour are not renewed in one hour", async () => {
  const [authority, now] = [await issueAuthority(databaseTerms, new Date()), new Date()];
  const use = { hosts, terms: databaseTerms };
  const dues: number[] = [];
  for (let one = 0; one < 20; one++) {
    const serving = await issueServing(authority, use, now);
    const at = (days: number): string =>
      nextStep({ authorities: [authority], serving }, use, new Date(now.getTime() + days * dayMs)).kind;
    assert.deepEqual([at(55), at(60.1)], ["wait", "issue"]);
    const step = nextStep({ authorities: [authority], serving }, use, new Date(now.getTime() + 40 * dayMs));
    assert(step.kind === "wait");
    dues.push(step.until.getTime());
  }
  assert(Math.max(...dues) - Math.min(...dues) > dayMs);
});

test("a deleted Secret starts a rotation of the authority: the old one stays in use until the new one has settled", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  const replica = new Replica(store, clock);
  await replica.check();
  const { serving, authorities } = replica.held;
  store.stored = undefined;
  await replica.check();
  assert.equal(replica.held.serving.certificate.trim(), serving.certificate.trim());
  assert.equal(replica.held.authorities.length, 2);
  clock.pass(settleMs);
  await replica.check();
  const [old, young] = replica.held.authorities;
  assert(old && young);
  assert(isSignedBy(replica.held.serving, young, hosts));
  clock.pass(settleMs);
  await replica.check();
  assert.equal(replica.held.authorities.length, 1);
  assert.notDeepEqual(replica.held.authorities, authorities);
});

for (const [what, damage] of Object.entries<(data: CertificateData) => CertificateData>({
  "without a key": (data) => Object.fromEntries(Object.entries(data).filter(([key]) => key !== "tls.key")),
  "with text that is not a certificate": (data) => ({ ...data, "tls.crt": "nothing" }),
  "with the key of another": (data) => ({ ...data, "tls.key": data["ca.key"] ?? "" }),
  "that is empty": () => ({}),
})) {
  test(`a Secret ${what} is repaired by the leader; the others continue with what they have`, async () => {
    const [store, clock] = [new FakeStore(), new Clock()];
    const [leader, standby] = [new Replica(store, clock), new Replica(store, clock, false)];
    await leader.check();
    await standby.check();
    store.stored = { data: damage(store.stored?.data ?? {}), version: store.stored?.version ?? "" };
    await standby.check();
    assert.equal(standby.used.length, 1);
    await leader.check();
    await standby.check();
    assert.deepEqual(standby.held, leader.held);
    assert(isTrusted(bundleOf(leader.held), leader.held, clock.now()));
  });
}

test("a new authority is looked at again when it signs, not when all have heard of what the old one signed before", async () => {
  const clock = new Clock();
  const old = await issueAuthority(databaseTerms, clock.now());
  clock.pass(100 * dayMs);
  const serving = await issueServing(old, { hosts, terms: databaseTerms }, clock.now());
  clock.pass(10 * dayMs);
  const set = { authorities: [old, await issueAuthority(databaseTerms, clock.now())], serving };
  const step = nextStep(set, { hosts, terms: databaseTerms }, clock.now());
  assert(step.kind === "wait");
  assert.equal(Math.round((step.until.getTime() - clock.now().getTime()) / dayMs), 30);
  // it cannot be had yet: it may be known from now on
  const unpublished = nextStep(set, { hosts, terms: databaseTerms, knownSince: () => undefined }, clock.now());
  assert(unpublished.kind === "wait");
  assert.equal(Math.round((unpublished.until.getTime() - clock.now().getTime()) / dayMs), 30);
});

test("a certificate that is not for the Service's name is replaced", async () => {
  const [store, clock] = [new FakeStore(), new Clock()];
  await new Replica(store, clock).check();
  const renewals: Renewal[] = [];
  const moved = new CertificateKeeper({
    store,
    hosts: ["database-conversion-webhook.elsewhere.svc"],
    terms: webhookTerms,
    now: clock.now,
    isLeading: () => true,
    onChange: () => undefined,
    onRenewal: (what) => renewals.push(what),
  });
  await moved.check();
  assert.deepEqual(renewals, ["issue"]);
});
