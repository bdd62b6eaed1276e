import assert from "node:assert/strict";
import test from "node:test";
import {
  bookmark,
  event,
  failure,
  follow,
  followList,
  page,
  thing,
  type Followed,
  type Thing,
} from "../../test/fakes/followed-collection";
import { settle } from "../../test/fakes/manual-clock";
import type { ScriptedCollection } from "../../test/fakes/scripted-collection";
import { ApiError } from "./client";

const broken = new Error("the connection broke");

test("a list comes in pages, and the watch continues from it", async (t) => {
  const { collection, reflector, changes, kept } = await follow(t, { labelSelector: "app=x" });
  assert.equal(reflector.synced, false);
  assert.deepEqual(collection.list.query, { labelSelector: "app=x", limit: 500 });
  collection.list.answer(page(7, [thing("a", 1)], "more"));
  await settle();
  assert.deepEqual([kept(), reflector.synced], [{}, false]);
  collection.list.answer(page(7, [thing("b", 2)]));
  await reflector.start();
  await settle();
  assert.deepEqual([kept(), changes], [{ a: 1, b: 2 }, ["a >1", "b >2"]]);
  assert.deepEqual(collection.asked, ["list", "list after more", "watch from 7"]);
  const { labelSelector, allowWatchBookmarks, timeoutSeconds } = collection.open.query;
  assert.deepEqual([labelSelector, allowWatchBookmarks, timeoutSeconds], ["app=x", true, 240]);
});

test("an added, changed or deleted object is reported once, and an unchanged one is not", async (t) => {
  const { collection, changes, kept } = await followList(t);
  collection.open.send(
    event("ADDED", thing("c", 3, 8)),
    event("MODIFIED", thing("a", 1, 9)),
    event("MODIFIED", thing("a", 5, 10)),
    event("DELETED", thing("b", 2, 11)),
  );
  await settle();
  assert.deepEqual([kept(), changes], [{ a: 5, c: 3 }, ["c >3", "a 1>5", "b 2>"]]);
});

test("a watch that is cut is opened again at its place after a pause, and nothing is listed or forgotten", async (t) => {
  const { collection, changes, problems, kept, pass } = await followList(t);
  collection.open.send(event("MODIFIED", thing("a", 5, 9)));
  await settle();
  collection.open.fail(broken);
  await settle();
  assert.deepEqual([problems, collection.isIdle], [["Error: the connection broke"], true]);
  await pass(499);
  assert.equal(collection.isIdle, true);
  await pass(1);
  assert.deepEqual(collection.asked, ["watch from 9"]);
  assert.deepEqual([kept(), changes], [{ a: 5, b: 2 }, ["a 1>5"]]);
});

test("a watch that the server ends in due time is opened again at once, one that it ends at once only after a pause", async (t) => {
  const { collection, problems, pass } = await followList(t);
  await pass(60_000);
  collection.open.end();
  await settle();
  assert.deepEqual(collection.asked, ["watch from 7"]);
  collection.open.end();
  await settle();
  assert.equal(collection.isIdle, true);
  await pass(500);
  assert.deepEqual([collection.asked, problems], [["watch from 7", "watch from 7"], []]);
});

test("a watch that is silent for 100 s is half-open: it is given up, and opened again at its place", async (t) => {
  const { collection, problems, pass } = await followList(t);
  await pass(99_999);
  assert.deepEqual([collection.asked, collection.isIdle], [[], false]);
  await pass(1);
  assert.deepEqual([problems, collection.isIdle], [["Error: the watch has been silent for 100 s"], true]);
  await pass(500);
  assert.deepEqual(collection.asked, ["watch from 7"]);
});

test("a watch with an event now and then is not half-open", async (t) => {
  const { collection, problems, pass } = await followList(t);
  for (let version = 8; version < 16; version++) {
    await pass(99_999);
    collection.open.send(bookmark(version));
    await settle();
  }
  assert.deepEqual([collection.asked, problems], [[], []]);
  await pass(100_000);
  assert.deepEqual(problems, ["Error: the watch has been silent for 100 s"]);
});

for (const [what, lose] of [
  [
    "a watch is refused with 410",
    (api) => {
      api.open.fail(new ApiError(410, "Gone", "gone"));
    },
  ],
  [
    "an ERROR event has code 410",
    (api) => {
      api.open.send(failure(410, "Expired"));
    },
  ],
  [
    "an ERROR event has reason Expired",
    (api) => {
      api.open.send(failure(0, "Expired"));
    },
  ],
] as const satisfies readonly [string, (api: ScriptedCollection) => void][]) {
  test(`${what}: the collection is listed again, and what is gone from it is reported`, async (t) => {
    const { collection, changes, kept, pass } = await followList(t);
    lose(collection);
    await settle();
    assert.deepEqual([kept(), collection.isIdle], [{ a: 1, b: 2 }, true]);
    await pass(500);
    assert.deepEqual([collection.asked, kept()], [["list"], { a: 1, b: 2 }]);
    collection.list.answer(page(20, [thing("b", 2), thing("c", 3)]));
    await settle();
    assert.deepEqual([kept(), changes], [{ b: 2, c: 3 }, ["a 1>", "c >3"]]);
    assert.deepEqual(collection.asked, ["list", "watch from 20"]);
  });
}

test("any other ERROR event is reported, and the watch is opened again at its place", async (t) => {
  const { collection, problems, kept, pass } = await followList(t);
  collection.open.send(failure(500, "InternalError"));
  await settle();
  await pass(500);
  assert.deepEqual([collection.asked, problems], [["watch from 7"], ["ApiError: InternalError"]]);
  assert.deepEqual(kept(), { a: 1, b: 2 });
});

test("an empty list is believed and reported, and so is the next one", async (t) => {
  const { collection, changes, kept, pass } = await followList(t);
  for (const items of [[], [thing("a", 1), thing("b", 2)]]) {
    collection.open.send(failure(410, "Expired"));
    await settle();
    await pass(500);
    collection.list.answer(page(8, items));
    await settle();
    // its word ends the growth of pauses
    collection.open.send(bookmark(8));
    await settle();
  }
  assert.deepEqual([kept(), changes], [{ a: 1, b: 2 }, ["a 1>", "b 2>", "a >1", "b >2"]]);
});

test("a list whose first or second page fails is reported and repeated from the start; nothing is forgotten", async (t) => {
  const { collection, changes, problems, kept, pass } = await followList(t);
  collection.open.send(failure(410, "Expired"));
  await settle();
  await pass(500);
  collection.list.fail(new ApiError(500, "InternalError", "ill"));
  await settle();
  await pass(1000);
  collection.list.answer(page(8, [thing("b", 9)], "more"));
  await settle();
  collection.list.fail(new ApiError(410, "Expired", "too late"));
  await settle();
  await pass(2000);
  assert.deepEqual(collection.asked, ["list", "list", "list after more", "list"]);
  assert.deepEqual([kept(), changes], [{ a: 1, b: 2 }, []]);
  assert.deepEqual(problems, ["ApiError: Expired", "ApiError: ill", "ApiError: too late"]);
});

test("a stale list is caught up with: the watch continues from where it was made", async (t) => {
  const { collection, changes, kept, pass } = await followList(t);
  collection.open.send(event("MODIFIED", thing("a", 5, 9)), failure(410, "Expired"));
  await settle();
  await pass(500);
  collection.list.answer(page(7, [thing("a", 1), thing("b", 2)]));
  await settle();
  assert.deepEqual(collection.asked, ["list", "watch from 7"]);
  collection.open.send(event("MODIFIED", thing("a", 5, 9)));
  await settle();
  assert.deepEqual([kept(), changes], [{ a: 5, b: 2 }, ["a 1>5", "a 5>1", "a 1>5"]]);
});

test("a bookmark moves the place and nothing else", async (t) => {
  const { collection, changes, pass } = await followList(t);
  collection.open.send(bookmark(40));
  await settle();
  collection.open.fail(broken);
  await settle();
  await pass(500);
  assert.deepEqual([collection.asked, changes], [["watch from 40"], []]);
});

test("pauses double up to 30 s, and start over after an event of the watch", async (t) => {
  const { collection, pass } = await followList(t);
  for (const seconds of [0.5, 1, 2, 4, 8, 16, 30, 30]) {
    collection.open.fail(broken);
    await settle();
    await pass(seconds * 1000 - 1);
    assert.equal(collection.isIdle, true, `less than ${seconds} s`);
    await pass(1);
  }
  collection.open.send(bookmark(8), bookmark(9));
  await settle();
  collection.open.fail(broken);
  await settle();
  await pass(500);
  assert.equal(collection.isIdle, false);
});

test("pauses of several clients differ: jitter takes up to half of each", async (t) => {
  const { collection, pass } = await followList(t);
  t.mock.method(Math, "random", () => 0.5);
  collection.open.fail(broken);
  await settle();
  await pass(374);
  assert.equal(collection.isIdle, true);
  await pass(1);
  assert.equal(collection.isIdle, false);
});

for (const [where, into] of [
  [
    "a list",
    async ({ collection, pass }) => {
      collection.open.send(failure(410, "Expired"));
      await settle();
      await pass(500);
    },
  ],
  ["a watch", () => Promise.resolve()],
  [
    "a pause",
    async ({ collection }) => {
      collection.open.fail(broken);
      await settle();
    },
  ],
] as const satisfies readonly [string, (followed: Followed) => Promise<void>][]) {
  test(`one that is stopped in the middle of ${where} ends at once, reports nothing more and keeps what it has`, async (t) => {
    const followed = await followList(t);
    await into(followed);
    const { collection, reflector, changes, problems, kept, pass } = followed;
    const told = problems.length;
    await reflector.stop();
    assert.equal(collection.isIdle, true);
    const { length } = collection.asked;
    await pass(300_000);
    assert.deepEqual([collection.asked.length, problems.length, changes], [length, told, []]);
    assert.deepEqual(kept(), { a: 1, b: 2 });
  });
}

test("an object that cannot be read is reported, and its last copy stays, in a list as in a watch", async (t) => {
  const parse = (object: unknown): number => {
    const { value } = object as Thing;
    if (value < 0) throw new Error(`${value} is not a value`);
    return value;
  };
  const { collection, changes, problems, kept, pass } = await followList(t, { parse });
  collection.open.send(
    event("MODIFIED", thing("a", -1, 8)),
    event("ADDED", thing("c", -2, 9)),
    failure(410, "Expired"),
  );
  await settle();
  await pass(500);
  collection.list.answer(page(10, [thing("a", -3), thing("b", 2)]));
  await settle();
  assert.deepEqual([kept(), changes], [{ a: 1, b: 2 }, []]);
  assert.deepEqual(
    problems,
    ["-1", "-2", "-3"].flatMap((value) => [
      `Error: ${value} is not a value`,
      ...(value === "-2" ? ["ApiError: Expired"] : []),
    ]),
  );
});

test("a collection that does not exist is not listed until it does; a refusal makes it ask again", async (t) => {
  let isThere = false;
  const { collection, reflector, kept, pass } = await follow(t, { exists: () => Promise.resolve(isThere) });
  assert.deepEqual([collection.asked, reflector.synced], [[], true]);
  isThere = true;
  await pass(500);
  collection.list.answer(page(7, [thing("a", 1)]));
  await settle();
  isThere = false;
  collection.open.fail(new ApiError(403, "Forbidden", "not yours"));
  await settle();
  assert.deepEqual(kept(), { a: 1 });
  await pass(1000);
  assert.deepEqual([kept(), collection.asked], [{}, ["list", "watch from 7"]]);
});

test("where existence is not asked for, a refusal forgets nothing", async (t) => {
  const { collection, kept, pass } = await followList(t);
  collection.open.fail(new ApiError(403, "Forbidden", "not yours"));
  await settle();
  await pass(500);
  assert.deepEqual([kept(), collection.asked], [{ a: 1, b: 2 }, ["watch from 7"]]);
});
