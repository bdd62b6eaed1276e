import assert from "node:assert/strict";
import test from "node:test";
import { maxMembersOf } from "../../contract/engines";
import { DatabaseSpec, Engine } from "../api/spec";

for (const name of Engine.options) {
  test(`the API admits as many members of ${name} as the engine can have, and no more`, () => {
    const isAdmitted = (replicas: number): boolean =>
      DatabaseSpec.safeParse({ engine: name, version: "1.0", replicas }).success;
    assert(isAdmitted(maxMembersOf(name)));
    assert(!isAdmitted(maxMembersOf(name) + 1));
  });
}
