import assert from "node:assert/strict";
import test from "node:test";
import { answerOr, Seconds } from "../../../test/fakes/postgresql/seconds";
import type { Turning } from "../patroni/answers";
import { PatroniStandstill } from "./patroni-standstill";
import type { Lease } from "./ports";

/** A member at which a test looks second by second. */
class Member {
  turning: Turning | undefined = { dcs_last_seen: 1 };
  lease: Lease | undefined = { leader: "db-0", renewed: "first" };
  isPrimary = true;
  leaseQuestions = 0;
  endedAfter: number | undefined;
  readonly lines: string[] = [];
  readonly #clock = new Seconds();
  readonly #watch = new PatroniStandstill({
    self: "db-0",
    patroni: { turning: () => answerOr(this.turning) },
    kubernetes: {
      lease: () => {
        this.leaseQuestions += 1;
        return answerOr(this.lease);
      },
    },
    server: {
      isPrimary: () => Promise.resolve(this.isPrimary),
      end: () => {
        this.endedAfter ??= this.#clock.passed;
        return Promise.resolve();
      },
    },
    log: (message) => this.lines.push(message),
    now: this.#clock.now,
  });

  look(seconds: number): Promise<void> {
    return this.#clock.look(this.#watch, seconds);
  }
}

test("the server of a primary ends where neither the loop has turned nor the lease was renewed for twelve seconds", async () => {
  const member = new Member();
  await member.look(1);
  member.lease = undefined;
  await member.look(12);
  assert.equal(member.endedAfter, undefined);
  await member.look(1);
  assert.equal(member.endedAfter, 14);
  assert.deepEqual(member.lines, [
    "Patroni has stood still for 13 s, and another member may lead soon: the server ends",
  ]);
});

test("the Kubernetes API is asked only where Patroni has stood still for a while", async () => {
  const member = new Member();
  await member.look(7);
  assert.equal(member.leaseQuestions, 0);
  await member.look(1);
  assert.equal(member.leaseQuestions, 1);
});

test("a loop that turns, or a lease that is renewed, keeps the server, even where the other cannot be told", async () => {
  const turning = new Member();
  turning.lease = undefined;
  const renewing = new Member();
  await renewing.look(1);
  renewing.turning = undefined;
  for (let round = 0; round < 8; round += 1) {
    turning.turning = { dcs_last_seen: round };
    renewing.lease = { leader: "db-0", renewed: `renewal ${round}` };
    await Promise.all([turning.look(5), renewing.look(5)]);
  }
  assert.deepEqual([turning.endedAfter, renewing.endedAfter], [undefined, undefined]);
});

test("a lease of another member keeps nothing", async () => {
  const member = new Member();
  await member.look(1);
  for (let second = 0; second < 14; second += 1) {
    member.lease = { leader: "db-1", renewed: `renewal ${second}` };
    await member.look(1);
  }
  assert.equal(member.endedAfter, 14);
});

test("neither a replica, nor a member whose Patroni was never seen, nor one that nobody else can take over from ends", async () => {
  const replica = new Member();
  replica.isPrimary = false;
  const unseen = new Member();
  unseen.turning = undefined;
  unseen.lease = undefined;
  const paused = new Member();
  paused.turning = { dcs_last_seen: 1, pause: true };
  await Promise.all([replica.look(30), unseen.look(30), paused.look(30)]);
  assert.deepEqual([replica.endedAfter, unseen.endedAfter, paused.endedAfter], [undefined, undefined, undefined]);
});
