import assert from "node:assert/strict";
import test from "node:test";
import type { VolumeNote } from "../../contract/volume-note";
import { VolumeWatch, volumeNotes } from "./watch";

test("a note is written at first, and then at each crossing; what fills the volume is asked only where it fills up", async () => {
  const written: VolumeNote[] = [];
  let [used, asked] = [10, 0];
  const watch = new VolumeWatch({
    room: () => Promise.resolve({ free: (100 - used) * 2 ** 30, total: 100 * 2 ** 30 }),
    cause: () => {
      asked += 1;
      return Promise.resolve({ kind: "wal", bytes: 7 });
    },
    write: (note) => {
      written.push(note);
      return Promise.resolve();
    },
  });
  for (used of [10, 20, 85, 86, 10]) await watch.look();
  assert.deepEqual(
    written.map(({ level, cause }) => [level, cause?.kind]),
    [
      [0, undefined],
      [80, "wal"],
      [0, undefined],
    ],
  );
  assert.equal(asked, 2);
});

test("a note that could not be written is written by the next look", async () => {
  let tries = 0;
  const watch = new VolumeWatch({
    room: () => Promise.resolve({ free: 1, total: 2 }),
    cause: () => Promise.resolve(undefined),
    write: () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("no answer")) : Promise.resolve();
    },
  });
  await assert.rejects(watch.look(), /no answer/);
  await watch.look();
  await watch.look();
  assert.equal(tries, 2);
});

test("the note is an annotation of the pod that writes it", async () => {
  const asked: unknown[] = [];
  const client = {
    podUid: () => Promise.resolve("uid-1"),
    patch: (...args: unknown[]) => {
      asked.push(...args);
      return Promise.resolve({});
    },
  };
  await volumeNotes(client, "shop", "orders-0")({ level: 80, size: 10, used: 8, at: "now" });
  const annotations = { "database.example.com/volume": '{"level":80,"size":10,"used":8,"at":"now"}' };
  assert.deepEqual(asked, ["/api/v1/namespaces/shop/pods/orders-0", { metadata: { annotations, uid: "uid-1" } }]);
});
