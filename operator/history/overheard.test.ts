import assert from "node:assert/strict";
import test from "node:test";
import type { Key } from "../domain/key";
import { gone, due, settled } from "../domain/outcome";
import { emptyRecord, type Revision, type StackRecord, type StackRecords } from "../domain/records";
import { Overheard } from "./overheard";

const key = "team/shop";
const entry = (revision: number): Revision => ({ revision, at: "", seconds: 1, digest: "", summary: "", by: "" });

interface Heard {
  readonly overheard: Overheard;
  readonly records: StackRecords;
  readonly news: Key[];
  stored: StackRecord | undefined;
}

/** Records in memory, and what was told of them. */
function heard(): Heard {
  const news: Key[] = [];
  const overheard = new Overheard((database) => void news.push(database));
  const records = overheard.listening({
    load: () => Promise.resolve(all.stored),
    save: (_key, record) => Promise.resolve((all.stored = { ...record, version: "2" })),
    remove: () => {
      all.stored = undefined;
      return Promise.resolve();
    },
    forget: () => undefined,
  });
  const all: Heard = { overheard, records, news, stored: undefined };
  return all;
}

test("what the reconcile reads is known once, and is news once", async () => {
  const all = heard();
  all.stored = { ...emptyRecord("uid-1"), history: [entry(1)] };
  assert.equal(all.overheard.record(key), undefined);
  for (let reads = 0; reads < 3; reads++) assert.equal(await all.records.load(key), all.stored);
  assert.deepEqual([all.overheard.record(key)?.history, all.news], [[entry(1)], [key]]);
});

test("how the turn before went says nothing of a change that came after it", async () => {
  const all = heard();
  const record = await all.records.save(key, { ...emptyRecord("uid-1"), history: [entry(1)] });
  all.overheard.ended(key, settled());
  await all.records.save(key, { ...record, digest: "d" });
  assert.deepEqual(all.overheard.outcome(key), settled());
  await all.records.save(key, { ...record, history: [entry(2), entry(1)] });
  assert.equal(all.overheard.outcome(key), undefined);
  all.overheard.ended(key, due());
  assert.equal(all.overheard.outcome(key), undefined);
});

const ends: Readonly<Record<string, (all: Heard) => Promise<void>>> = {
  "its record is removed": ({ records }) => records.remove(key),
  "it is forgotten": ({ records }) => {
    records.forget(key);
    return Promise.resolve();
  },
  "it is gone": ({ overheard }) => {
    overheard.ended(key, gone());
    return Promise.resolve();
  },
};
for (const [what, act] of Object.entries(ends)) {
  test(`nothing stays known of a Database once ${what}`, async () => {
    const all = heard();
    await all.records.save(key, { ...emptyRecord("uid-1"), history: [entry(1)] });
    await act(all);
    assert.equal(all.overheard.record(key), undefined);
  });
}

test("whether a turn is at work that may run is heard, and one that fails is over, too", async () => {
  const { overheard } = heard();
  const seen: boolean[] = [];
  let fails = false;
  const work = overheard.during(() => {
    seen.push(overheard.isAtWork(key));
    return fails ? Promise.reject(new Error("no")) : Promise.resolve();
  });
  await work(key, "look");
  await work(key, "run");
  fails = true;
  await assert.rejects(work(key, "run"));
  assert.deepEqual([seen, overheard.isAtWork(key)], [[false, true, true], false]);
});
