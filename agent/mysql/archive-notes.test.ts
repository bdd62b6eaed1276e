import assert from "node:assert/strict";
import test from "node:test";
import { archiveAnnotation } from "../../contract/archive-note";
import { ArchiveNotes } from "./archive-notes";

interface World {
  told: object | undefined;
  /** Whether the program that said it is there no more, and its session is. */
  gone: boolean;
  beat: number;
  telling: boolean;
  now: number;
}

/** A primary whose session says `told`, and what is written on its pod. */
function member(): { readonly notes: ArchiveNotes; readonly world: World; readonly written: string[] } {
  const world: World = { told: undefined, gone: false, beat: 1, telling: true, now: 0 };
  const written: string[] = [];
  const notes = new ArchiveNotes({
    server: {
      query: () => {
        const { told, beat } = world;
        if (told === undefined) return Promise.resolve([]);
        if (!world.gone) world.beat++;
        return Promise.resolve([{ note: JSON.stringify({ ...told, beat }) }]);
      },
    },
    client: {
      podUid: () => Promise.resolve(undefined),
      patch: (_path, change) => {
        written.push(JSON.stringify(change));
        return Promise.resolve({});
      },
    },
    ...{ namespace: "shop", self: "db-0", database: "db" },
    isTelling: () => world.telling,
    now: () => world.now,
  });
  return { notes, world, written };
}

const patchOf = (note: unknown): string =>
  JSON.stringify({ metadata: { annotations: { [archiveAnnotation]: note === null ? null : JSON.stringify(note) } } });

test("the primary says what the program says, once, and again after a while", async () => {
  const { notes, world, written } = member();
  const note = { state: "Arriving", recoverableFrom: "2026-11-21T02:00:01Z" };
  world.told = note;
  await notes.look();
  world.now = 59_000;
  await notes.look();
  assert.deepEqual(written, [patchOf(note)]);
  world.now = 60_000;
  await notes.look();
  assert.equal(written.length, 2);
});

test("a program that is not heard of for long is what is said, and a new primary waits as long", async () => {
  const { notes, world, written } = member();
  await notes.look();
  world.now = 89_999;
  await notes.look();
  assert.deepEqual(written, []);
  world.now = 90_000;
  await notes.look();
  assert.match(written.join(), /Waiting.*Deployment db-archive.*has not been heard of/);
});

test("of a member that is no primary any more nothing is said, and one that never was writes nothing", async () => {
  const { notes, world, written } = member();
  world.telling = false;
  await notes.look();
  assert.deepEqual(written, []);
  world.told = { state: "Arriving" };
  world.telling = true;
  await notes.look();
  world.telling = false;
  await notes.look();
  await notes.look();
  assert.deepEqual(written, [patchOf({ state: "Arriving" }), patchOf(null)]);
});

test("what a program said that is gone is not heard again, though its session lives on", async () => {
  const { notes, world, written } = member();
  world.told = { state: "Arriving" };
  await notes.look();
  world.gone = true;
  for (world.now = 5_000; world.now < 90_000; world.now += 5_000) await notes.look();
  assert.equal(written.length, 1);
  await notes.look();
  world.now = 95_000;
  await notes.look();
  assert.match(written.at(-1) ?? "", /Waiting.*Deployment db-archive.*has not been heard of/);
});
