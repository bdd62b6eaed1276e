import assert from "node:assert/strict";
import test from "node:test";
import { archiveFiles } from "../../../contract/archive-note";
import { Archive, noteOf } from "./archive";
import type { Archive as Facts } from "./ports";

class Member {
  facts: Facts | undefined = { everySeconds: 60, waitingSeconds: 0 };
  isPrimary = true;
  now = 0;
  files: Record<string, string> = {};
  beats = 0;
  readonly notes: (string | undefined)[] = [];
  readonly watch = new Archive({
    self: "db-0",
    server: { isPrimary: () => Promise.resolve(this.isPrimary) },
    sql: {
      archive: () => Promise.resolve(this.facts),
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
    read: (file) => Promise.resolve(this.files[file] ?? ""),
  });

  async lookFor(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 5) {
      await this.watch.look();
      this.now += 5_000;
    }
  }
}

test("the primary commits something as often as changes must be archived, and says that they arrive", async () => {
  const member = new Member();
  await member.lookFor(180);
  assert.equal(member.beats, 3);
  assert.deepEqual([...new Set(member.notes)], ['{"state":"Arriving"}']);
  assert.ok(member.notes.length <= 3, "not at every look");
});

test("a server that does not archive, and a replica, do neither", async () => {
  const member = new Member();
  member.facts = undefined;
  await member.lookFor(120);
  const replica = new Member();
  replica.isPrimary = false;
  await replica.lookFor(120);
  assert.deepEqual([member.beats, member.notes, replica.beats, replica.notes], [0, [], 0, []]);
});

test("a primary that is one no longer takes its word back", async () => {
  const member = new Member();
  await member.lookFor(5);
  member.isPrimary = false;
  await member.lookFor(10);
  assert.deepEqual(member.notes, ['{"state":"Arriving"}', undefined]);
});

test("why segments wait is told after a while, and what was given up at once", async () => {
  const facts = { everySeconds: 60, waitingSeconds: 31 };
  const complaint = "2026-11-25 08:18:33.950 P00  ERROR: [049]: unable to connect";
  assert.deepEqual(noteOf(facts, { complaint, gap: "", dropping: "" }), {
    state: "Waiting",
    message: "ERROR: [049]: unable to connect",
  });
  assert.deepEqual(noteOf({ ...facts, waitingSeconds: 5 }, { complaint, gap: "", dropping: "" }), {
    state: "Arriving",
  });
  const member = new Member();
  member.files[archiveFiles.gap] = "0000000100000000000000A0 2026-01-02T00:00:00Z\n";
  await member.lookFor(5);
  const gap = { segment: "0000000100000000000000A0", at: "2026-01-02T00:00:00Z" };
  assert.deepEqual(member.notes, [JSON.stringify({ state: "Arriving", gap })]);
  // whatever it is
  const history = { complaint: "", gap: "00000002.history 2026-01-02T00:00:00Z\n", dropping: "" };
  assert.equal(noteOf({ ...facts, waitingSeconds: 5 }, history).gap?.segment, "00000002.history");
});

test("what fails once is not told, however long ago something arrived", async () => {
  const member = new Member();
  member.files[archiveFiles.complaint] = "ERROR: [049]: unable to connect";
  member.facts = { everySeconds: 3600, waitingSeconds: 3600 };
  await member.lookFor(30);
  member.facts = { everySeconds: 3600, waitingSeconds: 0 };
  await member.lookFor(10);
  member.facts = { everySeconds: 3600, waitingSeconds: 50 };
  await member.lookFor(30);
  assert.deepEqual([...new Set(member.notes)], ['{"state":"Arriving"}']);
  await member.lookFor(10);
  assert.match(member.notes.at(-1) ?? "", /^{"state":"Waiting"/);
});

test("after something was given up nothing is said to arrive until something does", async () => {
  const member = new Member();
  const gone = "0000000100000000000000A0 2026-01-02T00:00:00Z\n";
  member.files = {
    [archiveFiles.gap]: gone,
    [archiveFiles.dropping]: gone,
    [archiveFiles.complaint]: "ERROR: [049]: unable to connect",
  };
  const gap = { segment: "0000000100000000000000A0", at: "2026-01-02T00:00:00Z" };
  await member.lookFor(5);
  const message = "ERROR: [049]: unable to connect";
  assert.deepEqual(member.notes, [JSON.stringify({ state: "Waiting", message, gap })]);
  member.files = { ...member.files, [archiveFiles.dropping]: "" };
  await member.lookFor(5);
  assert.equal(member.notes.at(-1), JSON.stringify({ state: "Arriving", gap }));
});
