import assert from "node:assert/strict";
import test from "node:test";
import { ScriptedSession } from "../../../test/fakes/postgresql/scripted-session";
import { obstaclesOf } from "./obstacles";

test("what the application may make is no obstacle", async () => {
  assert.equal(await obstaclesOf(new ScriptedSession(170_012)), undefined);
});

test("each kind is named, with what to do at the source", async () => {
  const session = new ScriptedSession(150_018, [
    ["pg_policy", [["own on public.orders"]]],
    ["pg_event_trigger t", Array.from({ length: 7 }, (_, index) => [`t${index}`])],
    ["pg_foreign_server", [["other"]]],
    ["pg_proc", [["public.f(integer)"]]],
  ]);
  const said = (await obstaclesOf(session)) ?? "";
  for (const part of [
    /policies for single roles.*: own on public\.orders; make them for PUBLIC/,
    /event triggers: t0, t1, t2, t3, t4 and 2 more; drop them/,
    /foreign servers.*: other;/,
    /in C or another untrusted language.*: public\.f\(integer\);/,
  ])
    assert.match(said, part);
});

test("an older server is asked for nothing that it does not know", async () => {
  const session = new ScriptedSession(90_204);
  assert.equal(await obstaclesOf(session), undefined);
  assert.doesNotMatch(session.asked.join(), /pg_policy|pg_event_trigger/);
});
