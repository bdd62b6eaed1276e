import assert from "node:assert/strict";
import test from "node:test";
import type { Key } from "../domain/key";
import { gone, due, settled } from "../domain/outcome";
import { emptyRecord, type Revision, type StackRecord, type StackRecords } from "../domain/records";
import { Overheard } from "./overheard";

const key = "team/shop";
const entry = (revision: number): Revision => ({ revision, at: "", seconds: 1, digest: "", summary: "", by: "" });

/** Records in memory, and what was told of them. */
function heard(): {
  readonly overheard: Overheard;
  readonly records: StackRecords;
  readonly news: Key[];
  stored: StackRecord | undefined;
} {
  const news: Key[] = [];
  const overheard = new Overheard((database) => void news.push(database));
  const all = {
    ...{ overheard, news },
    stored: undefined as StackRecord | undefined,
    records: overheard.listening({
      load: () => Promise.resolve(all.stored),
      save: (_key, record) => Promise.resolve((all.stored = { ...record, version: "2" })),
      remove: () => Promise.resolve((all.stored = undefined)),
      forget: () => undefined,
    }),
  };
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

test("nothing stays known of a Database that is gone, or forgotten", async () => {
  for (const act of [
    async ({ records }: ReturnType<typeof heard>) => records.remove(key),
    ({ records }: ReturnType<typeof heard>) => Promise.resolve(records.forget(key)),
    ({ overheard }: ReturnType<typeof heard>) => Promise.resolve(overheard.ended(key, gone())),
  ]) {
    const all = heard();
    await all.records.save(key, { ...emptyRecord("uid-1"), history: [entry(1)] });
    await act(all);
    assert.equal(all.overheard.record(key), undefined);
  }
});
