import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ToldNote } from "../../../contract/archive-note";
import { fillBase, fillFile, fillSegments } from "../../../test/fakes/postgresql/kept-wal";
import { nameOf } from "../backup/continuity";
import { Archiver } from "./archiver";
import { clusterDirectory, walIn } from "./names";
import type { Look } from "./primary";

const mebibyte = 1024 ** 2;
const end = (segment: number): string => `0/${segment.toString(16).toUpperCase()}000100`;

/** A primary, and a volume. */
class World {
  readonly look: { -readonly [Key in keyof Look]: Look[Key] } = {
    ...{ cluster: "77", timeline: 1, lsn: end(6), forks: [], histories: new Map<number, string>() },
    ...{ slot: "0/5000000", brought: undefined },
  };
  answers = true;
  free = 1000 * mebibyte;
  now = 0;
  /** What was told last. */
  told: ToldNote | undefined;
  texts = new Set<string | undefined>();
  advanced: string[] = [];
  /** What the stream ended by. */
  end: string | undefined;
  streams = 0;
  isStreaming = false;
  readonly archiver: Archiver;

  constructor(readonly backups: string) {
    const args = { backups, database: "shop", keptFile: join(backups, "kept"), retention: 7 };
    this.archiver = new Archiver(
      { ...args, primary: { host: "shop", port: 5432, user: "replicator", password: "" } },
      {
        primary: {
          look: () => (this.answers ? Promise.resolve({ ...this.look }) : Promise.reject(new Error("shutting down"))),
          advance: (lsn) => {
            this.advanced.push(lsn);
            this.look.slot = lsn;
            return Promise.resolve();
          },
          tell: (note) => {
            this.told = note;
            this.texts.add(note.message);
            return Promise.resolve();
          },
          close: () => undefined,
        },
        receive: () => this.#receive(),
        sizes: { of: () => Promise.resolve(new Map()), idle: () => Promise.resolve() },
        room: () => Promise.resolve({ free: this.free }),
        now: () => this.now,
      },
    );
  }

  #receive(): { name: string; end: string | undefined; stop: () => Promise<void> } {
    this.streams += 1;
    this.isStreaming = true;
    const ended = (): string | undefined => this.end;
    return {
      name: `stream ${this.streams}`,
      get end() {
        return ended();
      },
      stop: () => {
        this.isStreaming = false;
        return Promise.resolve();
      },
    };
  }

  async turns(seconds: number, before: () => void = () => undefined): Promise<void> {
    for (let second = 0; second < seconds; second += 2) {
      before();
      await this.archiver.turn();
      await this.archiver.idle();
      this.now += 2_000;
    }
  }
}

let backups = "";
let world: World;
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "archiver-"));
  await mkdir(walIn(backups));
  world = new World(backups);
});
afterEach(() => rm(backups, { recursive: true }));

test("what has come is on disk before the slot moves, and it never moves back", async () => {
  await world.turns(4);
  assert.deepEqual(world.advanced, []);
  world.look.brought = "0/4FFFFFF";
  await world.turns(4);
  assert.deepEqual(world.advanced, [], "the slot is further");
  world.look.brought = end(6);
  await world.turns(6);
  assert.deepEqual(world.advanced, [end(6)]);
  assert.equal(world.told?.state, "Arriving");
});

test("a stream that is catching up is not ended, and says the same all the time", async () => {
  world.look.lsn = end(200);
  let segment = 6;
  await world.turns(300, () => {
    world.look.brought = end(segment);
    segment += 1;
  });
  assert.deepEqual([world.streams, world.isStreaming], [1, true]);
  assert.equal(world.told?.state, "Waiting");
  assert.deepEqual([...world.texts], [undefined, "what the primary wrote meanwhile is still on its way"]);
});

test("a stream that brings nothing is ended, and another one begun", async () => {
  await world.turns(40);
  assert.equal(world.streams, 2);
});

test("the stream of a primary that stops is ended: it would wait until all has come, however much that is", async () => {
  world.look.lsn = end(200);
  world.look.brought = end(6);
  await world.turns(4);
  world.answers = false;
  await world.turns(4);
  assert.ok(world.isStreaming);
  await world.turns(4);
  assert.ok(!world.isStreaming);
  world.answers = true;
  await world.turns(2);
  assert.ok(world.isStreaming);
});

test("without a slot that is what is waited for, though a stream may bring all", async () => {
  world.look.slot = undefined;
  await world.turns(40);
  assert.deepEqual([world.streams, world.told?.state], [0, "Waiting"]);
  assert.match(world.told?.message ?? "", /no replication slot/);
  world.look.slot = "0/5000000";
  world.look.brought = end(6);
  await world.turns(4);
  assert.equal(world.told?.state, "Arriving");
  world.look.slot = undefined;
  await world.turns(40);
  assert.deepEqual([world.isStreaming, world.told.state], [true, "Waiting"]);
});

test("a full volume is told and not written to; that of another cluster is looked at again", async () => {
  world.look.brought = end(6);
  world.free = 0;
  await world.turns(60);
  assert.ok(!world.isStreaming);
  assert.match(world.told?.message ?? "", /lacks \d+ MiB/);
  world.free = 1000 * mebibyte;
  Object.assign(world.look, { cluster: "78" });
  await world.turns(2);
  assert.ok(world.isStreaming);
});

test("before what is there was looked through nothing is said of gaps: a note without one would close it", async () => {
  world.look.lsn = end(10);
  await fillSegments(clusterDirectory(backups, "77"), 1, 5, 9);
  await fillBase(backups, { label: "shop-20261121T020000Z", cluster: "77", start: "0/5000028", end: [1, "0/5000158"] });
  await writeFile(
    join(clusterDirectory(backups, "77"), "hole.json"),
    JSON.stringify({ segment: nameOf({ timeline: 1, position: 8 }), at: "2026-11-21T10:00:00Z" }),
  );
  const notes: (ToldNote | undefined)[] = [];
  await world.turns(10, () => notes.push(world.told));
  assert.deepEqual(
    notes.map((note) => note?.gap?.at),
    [undefined, ...Array<string>(4).fill("2026-11-21T10:00:00Z")],
  );
  assert.equal(notes[0], undefined);
});

test("what was received of a former timeline is taken out while the next one comes", async () => {
  world.look.brought = end(6);
  await world.turns(2);
  const directory = clusterDirectory(backups, "77");
  for (const timeline of [1, 2])
    await fillFile(join(directory, "incoming", `${nameOf({ timeline, position: 6 })}.partial`));
  await world.turns(2);
  assert.deepEqual((await readdir(join(directory, "incoming"))).sort(), [
    `${nameOf({ timeline: 2, position: 6 })}.partial`,
  ]);
});

test("a volume that is slow delays neither what comes nor what is said", async () => {
  world.look.brought = end(6);
  await world.turns(2);
  let release: (() => void) | undefined;
  const archiver = world.archiver;
  const slow = new Promise<{ free: number }>((resolve) => {
    release = () => {
      resolve({ free: 1000 * mebibyte });
    };
  });
  Object.defineProperty(world, "free", { get: () => slow });
  world.now += 20_000;
  const beats: (number | undefined)[] = [];
  for (let turn = 0; turn < 3; turn++) {
    await Promise.race([archiver.turn(), delay(2_000)]);
    beats.push(world.told?.beat);
  }
  assert.deepEqual(beats, [2, 3, 4]);
  release?.();
  await archiver.stop();
});
