import assert from "node:assert/strict";
import test from "node:test";
import { set } from "../../../test/fakes/mysql/archive";
import { reaches } from "./following";
import { Horizon } from "./horizon";

test("a time counts with what a later look has: what was being committed then is in that one", () => {
  const horizon = new Horizon();
  horizon.see({ now: 100, executed: set("1-5") });
  assert.equal(horizon.wanted, undefined);
  horizon.see({ now: 200, executed: set("1-7") });
  assert.deepEqual(horizon.wanted, { at: 100, executed: set("1-7") });
});

test("what has not arrived stays wanted, however much is committed meanwhile", () => {
  const horizon = new Horizon();
  for (const [now, executed] of [
    [100, "1-5"],
    [200, "1-7"],
    [300, "1-900"],
  ] as const)
    horizon.see({ now, executed: set(executed) });
  const { wanted } = horizon;
  assert.deepEqual(wanted, { at: 100, executed: set("1-7") });
  horizon.reached();
  assert.equal(horizon.wanted, undefined);
  horizon.see({ now: 400, executed: set("1-1000") });
  assert.deepEqual(horizon.wanted, { at: 300, executed: set("1-1000") });
});

test("what was wanted of a group that a decision ended is waited for no more", () => {
  const horizon = new Horizon();
  const see = (now: number): void => {
    horizon.see({ now, executed: set("1-100") });
  };
  horizon.follows("one");
  see(100);
  see(200);
  horizon.follows("one");
  const wanted = (): number | undefined => horizon.wanted?.at;
  assert.equal(wanted(), 100);
  horizon.follows("other");
  assert.equal(wanted(), undefined);
  see(300);
  assert.equal(wanted(), undefined, "no time from before counts");
  see(400);
  assert.equal(wanted(), 300);
});

test("what is there of a file reaches a place in it, and in all before it", () => {
  const place = { file: "binlog.999999", position: 500 };
  assert.ok(reaches(place, { file: "binlog.999999", position: 500 }));
  assert.ok(!reaches(place, { file: "binlog.999999", position: 499 }));
  assert.ok(reaches(place, { file: "binlog.1000000", position: 4 }));
  assert.ok(!reaches(place, { file: "binlog.999998", position: 5000 }));
  assert.ok(!reaches(place, { file: "", position: 0 }));
});
