import assert from "node:assert/strict";
import test from "node:test";
import type { ServerView, Standing } from "./observation";
import { Standstill } from "./standstill";

const member = (name: string): Record<"name" | "id" | "state" | "role", string> => ({
  ...{ name, id: name, state: "ONLINE", role: "PRIMARY" },
});

const look = (transactions: string, committing = true, members = ["db-0"]): ServerView => ({
  kind: "up",
  fresh: false,
  membership: { state: "ONLINE", quorum: true, members: members.map(member) },
  transactions,
  committing,
  offline: false,
});
const hangs: ServerView = { kind: "down", hangs: true };
const emptyHangs: ServerView = { ...hangs, fresh: true };

/** After looks of which each comes a second after the one before it. */
function after(looks: readonly ServerView[], wanted = 3, seconds = 1): Pick<Standing, "what" | "ms"> | undefined {
  const standstill = new Standstill();
  const last = looks.map((view, index) => standstill.note(view, wanted, index * seconds * 1_000)).at(-1);
  return last && { what: last.what, ms: last.ms };
}

test("commits hang when some wait and none completes, from the first look that showed it", () => {
  const looks = [look("u:1", false), look("u:1"), look("u:1"), look("u:1")];
  assert.deepEqual(after(looks), { what: "commits", ms: 2_000 });
  assert.deepEqual(after([look("u:1"), look("u:1-2"), look("u:1-2")]), { what: "commits", ms: 1_000 });
});

test("they do not hang where one completes at each look, none waits, others are in the group, or none is wanted", () => {
  assert.equal(after([look("u:1"), look("u:1-2"), look("u:1-3")])?.ms, 0);
  assert.equal(after([look("u:1"), look("u:1"), look("u:1", false)]), undefined);
  assert.equal(after([look("u:1"), look("u:1", true, ["db-0", "db-1"])]), undefined);
  assert.equal(after([look("u:1"), look("u:1")], 1), undefined);
});

test("a late look, or a lower number of wanted members, does not hide it", () => {
  assert.deepEqual(after([look("u:1"), hangs, hangs, look("u:1")]), { what: "commits", ms: 3_000 });
  const standstill = new Standstill();
  standstill.note(look("u:1"), 2, 0);
  assert.deepEqual(standstill.note(look("u:1"), 1, 1_000)?.ms, 1_000);
});

test("the time starts over for a server that has ended", () => {
  assert.equal(after([look("u:1"), look("u:1"), { kind: "down", hangs: false }, look("u:1")])?.ms, 0);
});

test("only an empty server that hangs counts as one whose answers hang", () => {
  assert.deepEqual(after([emptyHangs, emptyHangs, emptyHangs]), { what: "answers", ms: 2_000 });
  assert.equal(after([hangs, hangs]), undefined);
  assert.equal(after([emptyHangs, { kind: "down" }, emptyHangs])?.ms, 0);
});

test("time in which the agent itself was frozen counts for little", () => {
  assert.equal(after([look("u:1"), look("u:1")], 3, 60)?.ms, 5_000);
});
