import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, stepOf } from "../../test/fakes/previewed";
import { consequencesOf } from "./consequences";

test("a preview says what it takes to keep binary logs, of a new Database as well", () => {
  for (const exists of [true, false]) {
    const told = consequencesOf([stepOf("Deployment shop-archive", "create")], circumstances({ exists })).join("\n");
    assert.match(told, /shop-archive, a pod that runs all the time.* from the next backup on .*needs room/);
    assert.match(told, /run on the node of that pod/);
  }
});

test("a preview says what can be restored no longer where they are kept no more", () => {
  const told = consequencesOf([stepOf("Deployment shop-archive", "delete")], circumstances({})).join("\n");
  assert.match(told, /shop-archive ends: .* no restore goes to a moment between them/);
});

test("another image of that pod changes nothing for people", () => {
  assert.deepEqual(consequencesOf([stepOf("Deployment shop-archive", "update")], circumstances({})), [
    "no member restarts",
  ]);
});
