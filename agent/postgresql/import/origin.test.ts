import assert from "node:assert/strict";
import test from "node:test";
import { ScriptedSession } from "../../../test/fakes/postgresql/scripted-session";
import { holdMoment, versionOf, versionProblem } from "./origin";

test("a source of the same major version or an older one can be imported, a newer one not", () => {
  assert.equal(versionProblem(170_012, "17"), undefined);
  assert.equal(versionProblem(90_624, "17"), undefined);
  assert.match(versionProblem(90_124, "17") ?? "", /older than PostgreSQL 9\.2/);
  assert.match(versionProblem(180_000, "17") ?? "", /PostgreSQL 18, which is newer than 17: create .* version of 18/);
});

test("its version is told without that of its package", async () => {
  const session = new ScriptedSession(150_018, [["server_version", [["15.18 (Debian 15.18-0+deb12u1)"]]]]);
  assert.equal(await versionOf(session), "15.18");
});

test("one moment is held, that no policy hides anything of", async () => {
  const session = new ScriptedSession(170_012, [["pg_export_snapshot", [["00000003-0000001B-1"]]]]);
  assert.equal(await holdMoment(session), "00000003-0000001B-1");
  assert.deepEqual(session.asked, [
    "SET row_security = off",
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SELECT pg_catalog.pg_export_snapshot()",
  ]);
  const earlier = new ScriptedSession(90_400, [["pg_export_snapshot", [["1"]]]]);
  await holdMoment(earlier);
  assert.ok(!earlier.asked.join().includes("row_security"));
});
