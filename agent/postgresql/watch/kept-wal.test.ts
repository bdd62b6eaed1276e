import assert from "node:assert/strict";
import test from "node:test";
import type { ToldNote } from "../../../contract/archive-note";
import { statementOf } from "../archive/told";
import { KeptWal } from "./kept-wal";
import type { KeptWal as Facts } from "./ports";

class Member {
  facts: Facts | undefined;
  isPrimary = true;
  now = 0;
  beats = 0;
  readonly notes: (string | undefined)[] = [];
  readonly watch = new KeptWal({
    ...{ self: "db-0", database: "db", namespace: "team" },
    server: { isPrimary: () => Promise.resolve(this.isPrimary) },
    sql: {
      keptWal: () => Promise.resolve(this.facts),
      beat: () => {
        this.beats += 1;
        return Promise.resolve();
      },
    },
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
      if (told !== undefined) this.facts = { said: statementOf(told(this.now)) };
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
  for (const facts of [{ said: undefined }, { said: statementOf({ state: "Arriving", beat: 1 }) }]) {
    const member = new Member();
    member.facts = facts;
    await member.lookFor(85);
    assert.ok(!member.notes.some((note) => note?.includes("Waiting")));
    await member.lookFor(20);
    assert.match(member.notes.at(-1) ?? "", /"Waiting".*Deployment db-archive.*kubectl describe .* -n team/);
  }
});

test("what is cut off is told by its cause", async () => {
  const member = new Member();
  member.facts = { said: statementOf({ state: "Arriving", beat: 1 }).slice(0, 40) };
  await member.lookFor(100);
  assert.match(member.notes.at(-1) ?? "", /track_activity_query_size/);
});

test("where no WAL is kept, and on a replica, nothing is said or committed", async () => {
  const member = new Member();
  await member.lookFor(100);
  assert.deepEqual([member.notes, member.beats], [[], 0]);
});

test("a primary that is one no longer takes its word back at once, and one whose slot is away for long later", async () => {
  const told = (beat: number): ToldNote => ({ state: "Arriving", beat });
  for (const [isPrimary, seconds] of [
    [false, 5],
    [true, 100],
  ] as const) {
    const member = new Member();
    await member.lookFor(5, told);
    Object.assign(member, { isPrimary, facts: undefined });
    await member.lookFor(seconds);
    assert.deepEqual(member.notes, ['{"state":"Arriving"}', undefined]);
  }
});
