import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf } from "../../../test/fakes/postgresql/patroni";
import type { Cluster, Configuration } from "../patroni/answers";
import type { SwitchOver } from "../patroni/client";
import { handOverInTime, type HandOverPatroni } from "./hand-over";

const noAnswer = (): Promise<never> => Promise.reject(new Error("no answer"));

/** A member that stops, in a time of its own. */
class Member {
  config: Configuration | undefined = { ttl: 20 };
  cluster: Cluster | undefined = clusterOf(leaderOf("db-0"), memberOf("db-1"));
  readonly confirmed = new Set(["/primary", "http://db-1:8008/replica"]);
  refusals = 0;
  seconds = 0;
  readonly asked: string[] = [];
  readonly lines: string[] = [];
  /** Called after each pause. */
  later: () => void = () => undefined;

  async stop(): Promise<this> {
    const patroni: HandOverPatroni = {
      configuration: () => (this.config === undefined ? noAnswer() : Promise.resolve(this.config)),
      cluster: () => (this.cluster === undefined ? noAnswer() : Promise.resolve(this.cluster)),
      confirms: (url) => Promise.resolve(this.confirmed.has(url)),
      switchOver: (from) => this.switchOver(from),
    };
    const pause = (ms: number): Promise<void> => {
      this.seconds += ms / 1_000;
      this.later();
      return Promise.resolve();
    };
    const clock = { now: () => this.seconds * 1_000, pause };
    await handOverInTime({ self: "db-0", patroni, clock, log: (line) => this.lines.push(line) });
    return this;
  }

  switchOver(from: string): Promise<SwitchOver> {
    this.asked.push(from);
    this.refusals -= 1;
    const done = this.refusals < 0;
    return Promise.resolve({ done, answer: done ? 'Successfully switched over to "db-1"' : "no good candidates" });
  }
}

const begins = "this member is the primary and will stop: a replica is to take over";

test("a primary hands over to a replica, and says to whom", async () => {
  const { asked, lines } = await new Member().stop();
  assert.deepEqual(asked, ["db-0"]);
  assert.deepEqual(lines, [begins, 'Successfully switched over to "db-1"']);
});

test("a replica stops without a word, and so does a member whose Patroni is gone", async () => {
  const replica = new Member();
  replica.confirmed.clear();
  const dead = new Member();
  dead.config = dead.cluster = undefined;
  dead.confirmed.clear();
  for (const member of [replica, dead]) {
    const { asked, lines, seconds } = await member.stop();
    assert.deepEqual([asked, lines, seconds], [[], [], 0]);
  }
});

test("a primary does not look for a replica where the others stop, too", async () => {
  const member = new Member();
  member.later = () => member.confirmed.delete("http://db-1:8008/replica");
  const { asked, lines } = await member.stop();
  assert.deepEqual([asked, lines], [[], [begins, "no replica answers: stopping as it is"]]);
});

test("one replica of several is enough", async () => {
  const member = new Member();
  member.cluster = clusterOf(memberOf("db-2"), leaderOf("db-0"), memberOf("db-1"));
  assert.match((await member.stop()).lines.at(-1) ?? "", /Successfully/);
});

test("a replica that may not take over yet may a little later, but not for ever", async () => {
  const early = new Member();
  early.refusals = 3;
  assert.match((await early.stop()).lines.at(-1) ?? "", /Successfully/);
  const never = new Member();
  never.refusals = 1_000;
  assert.equal((await never.stop()).lines.at(-1), "no good candidates: stopping as it is");
  assert.ok(never.seconds <= 22, `${never.seconds} s`);
});

test("a refusal because another member leads by now ends it", async () => {
  const member = new Member();
  member.refusals = 1_000;
  let pauses = 0;
  member.later = () => {
    pauses += 1;
    if (pauses === 2) member.confirmed.delete("/primary");
  };
  assert.equal((await member.stop()).lines.at(-1), "another member is the primary now");
});

test("a Patroni that stops answering in between keeps nobody", async () => {
  const member = new Member();
  member.later = () => (member.cluster = undefined);
  assert.equal((await member.stop()).lines.at(-1), "no answer (no answer): stopping as it is");
});

test("where commits wait for replicas, also a replica waits until all that run count, for twelve seconds at most", async () => {
  const soon = new Member();
  soon.config = { ttl: 20, synchronous_mode: "quorum" };
  soon.confirmed.clear();
  soon.later = () => {
    if (soon.seconds === 3) soon.cluster = clusterOf(leaderOf("db-0"), memberOf("db-1", { role: "quorum_standby" }));
  };
  assert.equal((await soon.stop()).seconds, 3);
  assert.match(soon.lines[0] ?? "", /^commits do not count on db-1 yet/);
  const never = new Member();
  never.config = { ttl: 20, synchronous_mode: true };
  never.confirmed.clear();
  assert.equal((await never.stop()).seconds, 12);
});
