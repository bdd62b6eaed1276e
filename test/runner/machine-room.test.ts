import assert from "node:assert/strict";
import test from "node:test";
import { roomFor, type HasRoom } from "./machine-room";

const lanes = { least: 2, usual: 4, most: 6 };

/** A machine of two processors whose time is told. */
function scripted(): { hasRoom: HasRoom; wait: (processes: number) => void; pass: (ms: number, idle: number) => void } {
  let waiting = 0;
  const times = { idle: 0, all: 0 };
  const hasRoom = roomFor(lanes, { processors: 2, waiting: () => waiting, times: () => ({ ...times }) });
  return {
    hasRoom,
    wait: (processes) => (waiting = processes),
    pass: (ms, idle) => {
      times.all += 2 * ms;
      times.idle += 2 * ms * idle;
    },
  };
}

test("the least begin whatever the machine does, and the usual ones unless processes wait in lines", () => {
  const { hasRoom, wait } = scripted();
  wait(9);
  assert.deepEqual([0, 1, 2, 3].map(hasRoom), [true, true, false, false]);
  wait(8);
  assert.deepEqual([0, 1, 2, 3].map(hasRoom), [true, true, true, true]);
});

test("beyond them one begins after ten seconds in which a third of the processors' time was unused", () => {
  const { hasRoom, pass } = scripted();
  assert.equal(hasRoom(4), false, "it is looked at for the first time");
  pass(9_000, 0.5);
  assert.equal(hasRoom(4), false, "too soon");
  pass(1_000, 0.5);
  assert.equal(hasRoom(4), true);
  assert.equal(hasRoom(5), false, "the one that began has not shown yet what it takes");
  pass(10_000, 0.5);
  assert.equal(hasRoom(5), true);
  assert.equal(hasRoom(6), false);
  pass(10_000, 1);
  assert.equal(hasRoom(6), false, "never more than the most");
});

test("processors that have their work let none begin beyond the usual ones, and what they did before does not count", () => {
  const { hasRoom, pass } = scripted();
  hasRoom(4);
  pass(60_000, 0.3);
  assert.equal(hasRoom(4), false);
  pass(10_000, 0.4);
  assert.equal(hasRoom(4), true);
});
