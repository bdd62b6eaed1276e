import assert from "node:assert/strict";
import test from "node:test";
import type { ToldNote } from "../../../contract/archive-note";
import { statementOf } from "../archive/told";
import { KeptWal } from "./kept-wal";
import type { KeptWal as Facts } from "./ports";

class Member {
  facts: Facts = { said: undefined, isHeld: false, isBlind: false };
  /** What Patroni is to make. */
  slots: Record<string, unknown> = {};
  isPrimary = true;
  now = 0;
  beats = 0;
  granted = 0;
  readonly notes: (string | undefined)[] = [];
  readonly watch = new KeptWal({
    ...{ self: "db-0", database: "db", namespace: "team" },
    server: { isPrimary: () => Promise.resolve(this.isPrimary) },
    sql: {
      keptWal: () => Promise.resolve(this.isPrimary ? this.facts : undefined),
      letSeeStreams: () => {
        this.facts = { ...this.facts, isBlind: false };
        this.granted += 1;
        return Promise.resolve();
      },
      beat: () => {
        this.beats += 1;
        return Promise.resolve();
      },
    },
    patroni: { configuration: () => Promise.resolve({ ttl: 30, slots: this.slots }) },
    kubernetes: {
      noteArchive: (_pod, note) => {
        this.notes.push(note);
        return Promise.resolve();
      },
    },
    log: () => undefined,
    now: () => this.now,
  });

  async lookFor(seconds: number, told?: (beat: number) => ToldNote): Promise<void> {
    for (let second = 0; second < seconds; second += 5) {
      if (told !== undefined) this.facts = { ...this.facts, said: statementOf(told(this.now)) };
      await this.watch.look();
      this.now += 5_000;
    }
  }
}

test("the primary hands on what the program says, and commits something from time to time", async () => {
  const member = new Member();
  await member.lookFor(180, (beat) => ({ state: "Arriving", recoverableFrom: "2026-11-27T10:00:00Z", beat }));
  assert.deepEqual([...new Set(member.notes)], ['{"state":"Arriving","recoverableFrom":"2026-11-27T10:00:00Z"}']);
  assert.ok(member.notes.length <= 3, "not at every look");
  assert.equal(member.beats, 3);
});

test("a program that is silent, or whose session outlives it, is told after a while", async () => {
  for (const said of [undefined, statementOf({ state: "Arriving", beat: 1 })]) {
    const member = new Member();
    member.facts = { said, isHeld: true, isBlind: false };
    await member.lookFor(85);
    assert.ok(!member.notes.some((note) => note?.includes("Waiting")));
    await member.lookFor(20);
    assert.match(member.notes.at(-1) ?? "", /"Waiting".*Deployment db-archive.*kubectl describe .* -n team/);
  }
});

test("what is cut off is told by its cause", async () => {
  const member = new Member();
  member.facts = { said: statementOf({ state: "Arriving", beat: 1 }).slice(0, 40), isHeld: true, isBlind: false };
  await member.lookFor(100);
  assert.match(member.notes.at(-1) ?? "", /track_activity_query_size/);
});

test("where no WAL is kept, and on a replica, nothing is said or committed", async () => {
  const member = new Member();
  await member.lookFor(100);
  assert.deepEqual([member.notes, member.beats], [[], 0]);
});

test("a primary that is one no longer, and one whose Database keeps no WAL any more, take their word back", async () => {
  const told = (beat: number): ToldNote => ({ state: "Arriving", beat });
  for (const [isPrimary, seconds] of [
    [false, 5],
    [true, 100],
  ] as const) {
    const member = new Member();
    await member.lookFor(5, told);
    Object.assign(member, { isPrimary, facts: { said: undefined, isHeld: false, isBlind: false } });
    await member.lookFor(seconds);
    assert.deepEqual(member.notes, ['{"state":"Arriving"}', undefined]);
  }
});

test("a slot that cannot be made is told: by the program, and where that is away as well by the member itself", async () => {
  const member = new Member();
  member.slots = { database_archive: { type: "physical" } };
  await member.lookFor(10, (beat) => ({ state: "Arriving", beat }));
  member.facts = { said: undefined, isHeld: false, isBlind: false };
  await member.lookFor(85);
  assert.deepEqual(member.notes, ['{"state":"Arriving"}'], "it may come back");
  await member.lookFor(20);
  assert.match(member.notes.at(-1) ?? "", /"Waiting".*no replication slot database_archive.*max_replication_slots/);
  const why = "the primary has no replication slot for it yet";
  await member.lookFor(10, (beat) => ({ state: "Waiting", message: why, beat }));
  assert.equal(member.notes.at(-1), JSON.stringify({ state: "Waiting", message: why }));
  assert.ok(member.beats >= 2);
});

test("where no WAL is kept Patroni is asked once in a while alone", async () => {
  const member = new Member();
  let asked = 0;
  Object.defineProperty(member, "slots", { get: () => ((asked += 1), {}) });
  await member.lookFor(600);
  assert.ok(asked <= 9, `${asked} times`);
});

test("the program that keeps the WAL is let see how far its stream is, where it cannot", async () => {
  const member = new Member();
  member.facts = { said: undefined, isHeld: false, isBlind: true };
  await member.lookFor(20);
  assert.equal(member.granted, 0, "no WAL is kept");
  member.facts = { said: undefined, isHeld: true, isBlind: true };
  await member.lookFor(20);
  assert.equal(member.granted, 1);
});
