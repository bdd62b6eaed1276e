import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import { needsAll } from "./spare";

const strict = { highAvailability: { synchronousCommit: true, synchronous: { members: 1, strict: true } } };

for (const [what, spec, needs] of [
  ["MongoDB's majority of two is both", { engine: "mongodb", version: "8.0", replicas: 2 }, true],
  ["of three it is two", { engine: "mongodb", version: "8.0", replicas: 3 }, false],
  ["MySQL's group continues with those that have not left", { engine: "mysql", version: "8.4", replicas: 2 }, false],
  ["strict commits of two wait for the other one", { ...strict, replicas: 2 }, true],
  ["of three any other one will do", { ...strict, replicas: 3 }, false],
  ["commits that may continue alone do not", { highAvailability: { synchronousCommit: true }, replicas: 2 }, false],
  ["one member is told by itself", { engine: "mongodb", version: "8.0", replicas: 1 }, false],
] as const) {
  test(`whether a member can be spared: ${what}`, () => {
    assert.equal(needsAll(specOf(spec)), needs);
  });
}
