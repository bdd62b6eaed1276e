import assert from "node:assert/strict";
import test from "node:test";
import { Election, usualTiming, type ElectionClock, type Lease, type LeaseStore, type ReadLease } from "./election";

/** Time that passes when the test says so. */
class FakeTime implements ElectionClock {
  #ms = 1_000_000;
  /** How far the wall clock is ahead of the steady one. */
  skewMs = 0;
  readonly #sleepers: { readonly due: number; readonly wake: () => void }[] = [];

  now(): Date {
    return new Date(this.#ms + this.skewMs);
  }
  steady(): number {
    return this.#ms;
  }
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sleepers.push({ due: this.#ms + ms, wake: resolve });
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
  }

  /** In steps, so that every operator acts in between. */
  async pass(ms: number, stepMs = 500): Promise<void> {
    for (const end = this.#ms + ms; this.#ms < end;) {
      this.#ms = Math.min(end, this.#ms + stepMs);
      for (const sleeper of this.#sleepers.splice(0)) {
        if (sleeper.due <= this.#ms) sleeper.wake();
        else this.#sleepers.push(sleeper);
      }
      await settle();
    }
  }
}

/** Lets everything happen that needs no time. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

class FakeStore implements LeaseStore {
  lease: ReadLease | undefined;
  outage: "refuses" | "hangs" | undefined;
  #version = 0;

  async read(): Promise<ReadLease | undefined> {
    await this.#reach();
    return this.lease;
  }
  async write(lease: Lease, replaces: string | undefined): Promise<ReadLease | undefined> {
    await this.#reach();
    if (this.lease?.version !== replaces) return undefined;
    this.lease = { ...lease, version: String(++this.#version) };
    return this.lease;
  }
  async #reach(): Promise<void> {
    if (this.outage === "refuses") throw new Error("connection refused");
    if (this.outage === "hangs") await new Promise(() => undefined);
  }
}

interface Candidate {
  readonly election: Election;
  readonly lost: string[];
  readonly problems: unknown[];
  readonly until: Date[];
  readonly leaders: string[];
  readonly elected: Promise<boolean>;
}

function candidate(identity: string, store: LeaseStore, clock: ElectionClock): Candidate {
  const lost: string[] = [];
  const problems: unknown[] = [];
  const until: Date[] = [];
  const leaders: string[] = [];
  const election = new Election({
    store,
    identity,
    clock,
    onLeading: (time) => until.push(time),
    onLost: (why) => lost.push(why),
    onLeader: (leader) => leaders.push(leader),
    onProblem: (cause) => problems.push(cause),
  });
  return { election, lost, problems, until, leaders, elected: election.campaign() };
}

/** Where one leads already. */
async function led(): Promise<{ time: FakeTime; store: FakeStore; first: Candidate }> {
  const [time, store] = [new FakeTime(), new FakeStore()];
  const first = candidate("first", store, time);
  await settle();
  return { time, store, first };
}

test("the first candidate leads, and the other waits for as long as the first renews", async () => {
  const { time, store, first } = await led();
  const second = candidate("second", store, time);
  await time.pass(120_000);
  assert.equal(await first.elected, true);
  assert.deepEqual([first.election.isLeading, second.election.isLeading], [true, false]);
  assert.equal(store.lease?.holder, "first");
  assert.equal(store.lease.transitions, 0);
  assert.deepEqual([first.leaders, second.leaders], [["first"], ["first"]]);
  assert(first.until.length > 50, "every renewal has a later time");
  assert.deepEqual(first.until.at(-1)?.getTime(), store.lease.renewedAt.getTime() + usualTiming.renewWithinMs);
});

test("of two that begin at once, one leads", async () => {
  const [time, store] = [new FakeTime(), new FakeStore()];
  const both = [candidate("a", store, time), candidate("b", store, time)];
  await time.pass(30_000);
  assert.equal(both.filter(({ election }) => election.isLeading).length, 1);
});

test("a dead leader is replaced within the duration of its lease and one attempt, whatever its clock said", async () => {
  const [store, time] = [new FakeStore(), new FakeTime()];
  // one that is dead, whose clock was a year ahead
  const ahead = new Date(time.now().getTime() + 365 * 24 * 3_600_000);
  await store.write(
    { holder: "dead", durationSeconds: 15, acquiredAt: ahead, renewedAt: ahead, transitions: 3 },
    undefined,
  );
  const second = candidate("second", store, time);
  await time.pass(14_500);
  assert.equal(second.election.isLeading, false);
  await time.pass(1_000);
  assert.equal(second.election.isLeading, true);
  assert.equal(store.lease?.transitions, 4);
});

test("a leader that resigns is replaced at the next attempt", async () => {
  const { time, store, first } = await led();
  const second = candidate("second", store, time);
  await time.pass(5_000);
  await first.election.resign();
  assert.equal(first.election.isLeading, false);
  await time.pass(usualTiming.retryMs);
  assert.equal(second.election.isLeading, true);
  assert.deepEqual(first.lost, [], "resigning is not a loss");
});

test("a candidate that resigns ends its campaign", async () => {
  const { time, store } = await led();
  const second = candidate("second", store, time);
  await settle();
  await second.election.resign();
  assert.equal(await second.elected, false);
  assert.equal(store.lease?.holder, "first");
});

test("a leader that was frozen stops leading the moment it continues, and says so", async () => {
  const { time, first } = await led();
  // one step: nothing of it ran meanwhile
  const thawed = time.pass(20_000, 20_000);
  assert.equal(first.election.isLeading, false);
  await thawed;
  assert.deepEqual(first.lost, ["the lease was not renewed in time"]);
});

test("a leader whose machine slept, with a monotonic clock that stopped, no longer leads either", async () => {
  const { time, first } = await led();
  time.skewMs = 20_000;
  assert.equal(first.election.isLeading, false);
});

test("a wall clock that is set back does not prolong the term", async () => {
  const { time, store, first } = await led();
  time.skewMs = -3_600_000;
  store.outage = "refuses";
  await time.pass(usualTiming.renewWithinMs);
  assert.equal(first.election.isLeading, false);
});

for (const outage of ["refuses", "hangs"] as const) {
  test(`an API server that ${outage} ends the term before others may lead, and a short outage does not`, async () => {
    const [time, store] = [new FakeTime(), new FakeStore()];
    const first = candidate("first", store, time);
    await settle();
    if (outage === "refuses") {
      store.outage = outage;
      await time.pass(6_000);
      store.outage = undefined;
      await time.pass(3_000);
      assert.equal(first.election.isLeading, true);
      assert(first.problems.length > 0);
    }
    store.outage = outage;
    await time.pass(12_000);
    assert.equal(first.election.isLeading, false);
    assert.deepEqual(first.lost, ["the lease was not renewed in time"]);
  });
}

test("a lease with another holder is lost, one that another client touched is not", async () => {
  const [time, store] = [new FakeTime(), new FakeStore()];
  const first = candidate("first", store, time);
  await time.pass(3_000);
  assert(store.lease);
  await store.write(store.lease, store.lease.version);
  await time.pass(5_000);
  assert.equal(first.election.isLeading, true);
  await store.write({ ...store.lease, holder: "thief" }, store.lease.version);
  await time.pass(2_500);
  assert.deepEqual(first.lost, ["thief holds the lease"]);
});

test("a deleted lease is created again by its leader", async () => {
  const [time, store] = [new FakeTime(), new FakeStore()];
  const first = candidate("first", store, time);
  await time.pass(3_000);
  store.lease = undefined;
  await time.pass(5_000);
  assert.equal(first.election.isLeading, true);
  assert.equal((await store.read())?.holder, "first");
});

test("a deleted lease gives no one else the lead: its leader creates it again", async () => {
  const { time, store, first } = await led();
  await time.pass(1_000);
  const second = candidate("second", store, time);
  const leading = (): readonly boolean[] => [first.election.isLeading, second.election.isLeading];
  // the second one looks in between the first one's renewals, and finds nothing
  await time.pass(1_500);
  store.lease = undefined;
  for (let passed = 0; passed < 30_000; passed += 500) {
    await time.pass(500);
    assert.deepEqual(leading(), [true, false], `after ${passed + 500} ms`);
  }
  assert.equal((await store.read())?.holder, "first");
});

test("the deleted lease of a dead leader is taken when it would have expired, and keeps counting", async () => {
  const [store, time] = [new FakeStore(), new FakeTime()];
  const now = time.now();
  await store.write(
    { holder: "dead", durationSeconds: 15, acquiredAt: now, renewedAt: now, transitions: 3 },
    undefined,
  );
  const second = candidate("second", store, time);
  await time.pass(5_000);
  store.lease = undefined;
  await time.pass(9_500);
  assert.equal(second.election.isLeading, false);
  await time.pass(1_000);
  assert.equal(second.election.isLeading, true);
  assert.equal((await store.read())?.transitions, 4);
});
