import assert from "node:assert/strict";
import test from "node:test";
import { baseOf, logOf, sessionOf, set } from "../../../test/fakes/mysql/archive";
import { gtidText, noTransactions } from "../gtid";
import { findStart, footholds, leastLoss, startAmong, type Asked } from "./start";

/** A member, by what was executed before each of its files. */
const memberOf = (host: string, ...before: string[]): Asked => ({
  host,
  logs: before.map((previous, index) => ({ name: `${host}.${index + 1}`, previous: set(previous) })),
});
const rangesIn = (known: ReturnType<typeof footholds>): string[] =>
  known.map((one) => gtidText(one).replace(/^[^:]*:/, ""));

test("a member is copied from the newest file before which nothing is missing", () => {
  const one = memberOf("one", "", "1-10", "1-20");
  const nameFor = (...known: string[]): string | undefined => startAmong([one], known.map(set))?.log.name;
  assert.equal(nameFor("1-15"), "one.2");
  assert.equal(nameFor("1-20"), "one.3");
  assert.equal(nameFor(""), "one.1");
  assert.equal(startAmong([memberOf("one", "1-10")], [set("1-5")]), undefined);
});

test("a backup that was taken while nothing was copied is no reason to leave out what members still have", () => {
  const sessions = [sessionOf(1, "1-5", logOf("a.3", "1-5", "6-100"))];
  const known = footholds([baseOf("first", "1-6"), baseOf("second", "1-150")], sessions);
  assert.deepEqual(rangesIn(known), ["1-100", "1-150", "1-150"]);
  assert.equal(startAmong([memberOf("one", "1-5", "1-90", "1-140")], known)?.log.name, "one.2");
  assert.equal(
    startAmong([memberOf("one", "1-110", "1-140")], known)?.log.name,
    "one.2",
    "else the newest backup has it",
  );
});

test("where one member has removed what is needed, another one is asked before anything is lost", () => {
  const known = footholds(
    [baseOf("first", "1-6"), baseOf("second", "1-150")],
    [sessionOf(1, "1-5", logOf("a.3", "1-5", "6-100"))],
  );
  const asked = [memberOf("cloned", "1-140"), memberOf("other", "1-80", "1-120")];
  assert.deepEqual(startAmong(asked, known), { host: "other", log: asked[1]?.logs[0] });
});

test("a hole that is there is filled where a member has what is in it", () => {
  const sessions = [
    sessionOf(1, "1-5", logOf("a.3", "1-5", "6-10")),
    sessionOf(2, "1-20", logOf("b.1", "1-20", "21-30")),
  ];
  const known = footholds([baseOf("first", "1-6")], sessions);
  assert.deepEqual(rangesIn(known), ["1-10", "1-10:21-30"]);
  assert.equal(startAmong([memberOf("one", "1-8", "1-29")], known)?.log.name, "one.1");
});

test("where all lack something, as little as possible is lost", () => {
  const asked = [memberOf("one", "1-50", "1-60"), memberOf("two", "1-40"), memberOf("empty")];
  assert.equal(startAmong(asked, [set("1-30")]), undefined);
  assert.equal(leastLoss(asked, set("1-30"))?.log.name, "two.1");
  assert.equal(leastLoss([memberOf("empty")], noTransactions), undefined);
});

test("before there is a backup, what is there is led on from", () => {
  assert.deepEqual(rangesIn(footholds([], [sessionOf(1, "", logOf("a.1", "", "1-10"))])), ["1-10"]);
});

test("no more members are asked than that takes, and none is left out where something would be lost", async () => {
  const members = [memberOf("cloned", "1-140"), memberOf("other", "1-80", "1-120"), memberOf("third", "1-10")];
  const asked: string[] = [];
  const find = (known: readonly string[], silent = ""): ReturnType<typeof findStart> =>
    findStart(
      members.map(({ host }) => host),
      known.map(set),
      (host) => {
        asked.push(host);
        const logs = members.find((member) => member.host === host)?.logs ?? [];
        return host === silent ? Promise.reject(new Error("no route")) : Promise.resolve(logs);
      },
    );
  assert.equal((await find(["1-100", "1-150"])).log.name, "other.1");
  assert.deepEqual(asked.splice(0), ["cloned", "other"]);
  assert.equal((await find(["1-100", "1-150"], "cloned")).log.name, "other.1", "another one has it");
  assert.equal((await find(["1-5", "1-150"])).log.name, "cloned.1", "only the newest backup leads on");
  await assert.rejects(find(["1-5", "1-150"], "third"), /third cannot be asked for its binary logs: no route/);
  assert.equal((await find(["1-5", "1-5"])).log.name, "third.1");
});
