import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { groupNames, groups } from "./groups";
import { isInForce, rotationOf, rotationText, turnOf } from "./rotation";

test("six commits, one after the other, take every group, whichever is the first", () => {
  for (const first of [0, 1, 5, 201, 4_000_000]) {
    const taken = [0, 1, 2, 3, 4, 5].flatMap((step) => turnOf(first + step));
    assert.deepEqual([...new Set(taken)].sort(), [...groupNames].sort(), String(first));
  }
  assert.equal(turnOf(201).length, Math.ceil(groupNames.length / 6));
});

test("any number of groups comes round within six commits", () => {
  for (let count = 1; count <= groupNames.length; count++) {
    const names = groupNames.slice(0, count);
    const taken = [3, 4, 5, 6, 7, 8].flatMap((seed) => turnOf(seed, names));
    assert.deepEqual([...new Set(taken)].sort(), [...names].sort(), `${count} groups`);
  }
});

test("a changed group runs out of its turn, and is named", () => {
  const [turn, other] = [groupNames.at(0) ?? "cut-off", groupNames.at(-1) ?? "cut-off"];
  const rotation = rotationOf({ seed: 0, changed: [turn, other] });
  assert.ok(rotation.taken.includes(turn) && rotation.taken.includes(other));
  assert.deepEqual(rotation.forced, [other]);
  assert.equal(rotation.taken.length + rotation.leftOut.length, groupNames.length);
  assert.match(rotationText(rotation, "commit 12, abc"), /of commit 12, abc \(changed since they last passed: /);
});

test("all, none and names are taken as asked, changed or not, and an unknown name is refused", () => {
  const asked = (text: string): readonly string[] => rotationOf({ seed: 0, changed: ["cut-off"], asked: text }).taken;
  assert.deepEqual(asked("all"), groupNames);
  assert.deepEqual(asked("none"), []);
  assert.deepEqual(new Set(asked("mysql-outage, real-node")), new Set(["real-node", "mysql-outage"]));
  assert.throws(() => asked("real-nod"), /names no group: real-nod; there are all, none, /);
});

test("a file that is run by hand takes every group, a run those that it names", () => {
  assert.ok(isInForce("cut-off", undefined));
  assert.ok(isInForce("cut-off", "real-node,cut-off"));
  assert.ok(!isInForce("cut-off", "real-node"));
  assert.ok(!isInForce("cut-off", ""));
});

test("the folders of groups exist", () => {
  const paths = new Set(Object.values(groups).flatMap(({ folders }) => [...folders]));
  assert.deepEqual(
    [...paths].filter((path) => !existsSync(join(__dirname, "../..", path))),
    [],
  );
});
