import assert from "node:assert/strict";
import test from "node:test";
import { ScriptedSession } from "../../../test/fakes/postgresql/scripted-session";
import { countsOf, largeObjectsOf } from "./tables";

test("every table is counted for itself, whatever its name", async () => {
  const session = new ScriptedSession(170_012, [
    [
      "relkind = 'r'",
      [
        ["public", "orders"],
        ['We "ird', "T.x"],
      ],
    ],
    ['"public"."orders"', [["9007199254740991"]]],
    ['ONLY "We ""ird"."T.x"', [["0"]]],
    ["pg_largeobject_metadata", [["2"]]],
  ]);
  assert.deepEqual(
    [...(await countsOf(session))],
    [
      ["public.orders", Number.MAX_SAFE_INTEGER],
      ['We "ird.T.x', 0],
    ],
  );
  assert.equal(await largeObjectsOf(session), 2);
});
