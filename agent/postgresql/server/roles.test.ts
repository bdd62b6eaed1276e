import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { beginCluster, ensureRoles, filledIn, markOf, ownSessionsOf } from "./roles";
import { ScriptedSession } from "../../../test/fakes/postgresql/scripted-session";

const template = readFileSync(join(__dirname, "../../../images/postgresql/roles.sql"), "utf8");
const password = "pa'ss";

/** A server that has the mark or not. */
const serverWith = (isMarked: boolean, version = 170_012): ScriptedSession =>
  new ScriptedSession(version, [
    ["obj_description", [[isMarked]]],
    ["scram_iterations", [["512"]]],
  ]);

const ensure = (session: ScriptedSession, isLetIn: boolean): Promise<void> =>
  ensureRoles({ session, password, letsIn: () => Promise.resolve(isLetIn), template });

test("nothing is written where the roles are there and let the init Job in", async () => {
  const session = serverWith(true);
  await ensure(session, true);
  assert.equal(session.asked.length, 1);
  assert.match(session.asked[0] ?? "", /^\s*SELECT/);
});

test("roles are made where they are not, or have another password, without a word of it in the server's log", async () => {
  for (const [isMarked, isLetIn] of [
    [false, true],
    [true, false],
  ] as const) {
    const session = serverWith(isMarked);
    await ensure(session, isLetIn);
    const quiet = session.asked.findIndex((statement) => statement.includes("log_min_error_statement = 'panic'"));
    const made = session.asked.findIndex((statement) => statement.includes("CREATE ROLE database_init"));
    assert.ok(quiet !== -1 && quiet < made);
    assert.ok(session.asked[made]?.includes("PASSWORD 'SCRAM-SHA-256$512:"));
    assert.ok(session.asked.every((statement) => !statement.includes("pa'ss") && !statement.includes("pa''ss")));
    assert.equal(
      session.asked.at(-1),
      `COMMENT ON SCHEMA database_operator IS '${markOf(template, ownSessionsOf(170_012))}'`,
    );
  }
});

test("a mark comes last, so that roles that were begun are made again", async () => {
  const session = serverWith(false);
  await ensure(session, false);
  const noted = session.asked.filter((statement) => statement.startsWith("ALTER ROLE"));
  assert.ok(noted.some((statement) => statement.includes('"postgres"')));
  assert.ok(noted.some((statement) => statement.includes('"replicator"')));
  assert.match(session.asked.at(-1) ?? "", /^COMMENT/);
});

test("a server that does not say how many iterations it wants has the usual number", async () => {
  const session = serverWith(false, 150_020);
  await ensure(session, false);
  assert.ok(session.asked.some((statement) => statement.includes("SCRAM-SHA-256$4096:")));
});

test("the mark is that of the releases before, so that none writes roles that are there", () => {
  assert.equal(
    markOf("the roles", ownSessionsOf(170_012)),
    "354e036a14af2c72a197fd8470ca917f37b975cf1bd3f80389b771c56c89f77a",
  );
});

test("all that the template asks for is filled in, as texts", () => {
  const filled = filledIn(template, { verifier: "a$&'b", own_sessions: ownSessionsOf(170_000) });
  assert.ok(filled.includes("PASSWORD 'a$&''b'"));
  assert.ok(filled.includes(`json_each_text('{"statement_timeout": "0",`));
  assert.ok(!/\{\w+\}/.test(filled));
  assert.throws(() => filledIn("{nothing}", {}), /"nothing"/);
});

test("a new cluster is marked before the role of replication is there", async () => {
  const session = new ScriptedSession(170_012);
  await beginCluster(session);
  assert.match(session.asked[0] ?? "", /no_network.*CREATE ROLE replicator/);
  assert.ok(session.asked.slice(1).every((statement) => statement.startsWith('ALTER ROLE "postgres"')));
});
