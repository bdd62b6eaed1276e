import assert from "node:assert/strict";
import test from "node:test";
import { set } from "../../../test/fakes/mysql/archive";
import { gtidText } from "../gtid";
import { advance, type Advance } from "./advance";
import type { Arrival } from "./group-notes";
import { Horizon } from "./horizon";

interface World {
  /** What the primary has executed; undefined: it cannot be reached. */
  executed: string | undefined;
  now: number;
  /** Up to which number all is on disk. */
  onDisk: number;
  failure: string | undefined;
}

function archive(): {
  readonly world: World;
  readonly turn: () => Promise<string | undefined>;
  readonly noted: Arrival[];
} {
  const world: World = { executed: "1", now: 100, onDisk: 0, failure: undefined };
  const noted: Arrival[] = [];
  const args: Advance = {
    horizon: new Horizon(),
    lookAtPrimary: () =>
      world.executed === undefined
        ? Promise.reject(new Error("the primary cannot be reached"))
        : Promise.resolve({ now: (world.now += 100), executed: set(world.executed) }),
    following: {
      look: (wanted) => {
        if (world.failure !== undefined) return Promise.reject(new Error(world.failure));
        return Promise.resolve(
          wanted !== undefined && world.onDisk >= Number(/(\d+)$/.exec(gtidText(wanted.executed))?.[1]),
        );
      },
    },
    note: (arrival) => {
      noted.push(arrival);
      return Promise.resolve();
    },
  };
  return { world, noted, turn: () => advance(args) };
}

test("under writes that never end a time is noted again and again", async () => {
  const { world, turn, noted } = archive();
  for (let written = 10; written < 100; written += 10) {
    world.executed = `1-${written}`;
    // each time what was written at the look before has come
    await turn();
    world.onDisk = written;
  }
  assert.ok(noted.length >= 4, JSON.stringify(noted));
  for (const [one, next] of noted.map(({ at }, index) => [at, noted[index + 1]?.at ?? Infinity] as const))
    assert.ok(one < next);
});

test("where no primary can be reached the member is followed all the same, and what had been wanted is noted", async () => {
  const { world, turn, noted } = archive();
  await turn();
  world.executed = "1-5";
  assert.equal(await turn(), "it has not caught up yet");
  world.executed = undefined;
  assert.equal(await turn(), "the primary cannot be reached");
  world.onDisk = 5;
  assert.equal(await turn(), "the primary cannot be reached");
  assert.deepEqual(noted, [{ at: 200, executed: set("1-5") }]);
});

test("what failed before is no reason for what is waited for now", async () => {
  const { world, turn } = archive();
  world.executed = undefined;
  assert.equal(await turn(), "the primary cannot be reached");
  world.executed = "1-5";
  assert.equal(await turn(), "it has not caught up yet");
  assert.equal(await turn(), "it has not caught up yet");
  world.onDisk = 5;
  assert.equal(await turn(), undefined);
});

test("a member that cannot be followed any more is one, whatever the primary says", async () => {
  const { world, turn } = archive();
  world.failure = "mysqlbinlog ended (1)";
  await assert.rejects(turn(), /mysqlbinlog ended/);
});
