import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { FairLine, type Urgency } from "./fair-line";

const anybody = (): boolean => true;

/** Everything that waits, in the order in which it is taken. */
function drained(line: FairLine): string[] {
  const taken: string[] = [];
  for (let next = line.take(anybody); next !== undefined; next = line.take(anybody)) taken.push(next.key);
  return taken;
}

function lineOf(...waiting: readonly (readonly [key: string, urgency: Urgency])[]): FairLine {
  const line = new FairLine();
  for (const [key, urgency] of waiting) line.add(key, urgency);
  return line;
}

test("one tenant's burst does not delay another's edit", () => {
  const line = new FairLine();
  for (let index = 0; index < 1000; index++) line.add(`burst/db-${index}`, "person");
  line.add("calm/shop", "person");
  line.add("calm/till", "person");
  const taken = Array.from({ length: 4 }, () => line.take(anybody)?.key);
  assert.deepEqual(taken, ["burst/db-0", "calm/shop", "burst/db-1", "calm/till"]);
});

test("a person's edit comes before upkeep that waits longer", () => {
  const line = lineOf(["a/1", "upkeep"], ["a/2", "upkeep"], ["a/3", "person"]);
  assert.deepEqual(drained(line), ["a/3", "a/1", "a/2"]);
});

test("endless edits do not starve upkeep", () => {
  const line = lineOf(["a/upkeep", "upkeep"]);
  const taken: (string | undefined)[] = [];
  for (let edit = 0; edit < 8; edit++) {
    line.add(`a/${edit}`, "person");
    line.add(`b/${edit}`, "person");
    taken.push(line.take(anybody)?.key);
  }
  assert.ok(taken.slice(0, 4).includes("a/upkeep"), taken.join());
});

test("within a namespace the first to come is the first to be taken", () => {
  assert.deepEqual(drained(lineOf(["a/1", "person"], ["a/2", "person"], ["a/3", "person"])), ["a/1", "a/2", "a/3"]);
});

test("a key that waits already keeps its place, or gets a better one", () => {
  const line = lineOf(["a/1", "upkeep"], ["a/2", "upkeep"], ["a/1", "upkeep"], ["a/2", "person"], ["a/2", "upkeep"]);
  assert.equal(line.size, 2);
  assert.deepEqual(drained(line), ["a/2", "a/1"]);
});

test("a key that is not free is passed over and keeps its place", () => {
  const line = lineOf(["a/1", "person"], ["a/2", "person"]);
  assert.equal(line.take((key) => key !== "a/1")?.key, "a/2");
  assert.equal(
    line.take(() => false),
    undefined,
  );
  assert.deepEqual(drained(line), ["a/1"]);
});

test("property: every key that was added is taken once", () => {
  const wish = fc.record({
    key: fc.constantFrom("a/1", "a/2", "b/1", "c/1"),
    urgency: fc.constantFrom<Urgency>("person", "upkeep"),
  });
  fc.assert(
    fc.property(fc.array(wish), (wishes) => {
      const line = lineOf(...wishes.map(({ key, urgency }) => [key, urgency] as const));
      assert.deepEqual(drained(line).sort(), [...new Set(wishes.map(({ key }) => key))].sort());
      assert.equal(line.size, 0);
    }),
  );
});
