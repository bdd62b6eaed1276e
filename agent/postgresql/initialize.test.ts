import assert from "node:assert/strict";
import test from "node:test";
import { setUp, untilPrimary } from "./initialize";
import { ScriptedSession } from "../../test/fakes/postgresql/scripted-session";

const wanted = {
  app: { user: "app", password: "of-app" },
  database: 'my "app"',
  monitor: { user: "monitor", password: "of-monitor" },
};

const sessionWith = (isThere: boolean): ScriptedSession =>
  new ScriptedSession(170_000, [
    ["scram_iterations", [["4096"]]],
    ["ensure_role", [[isThere ? "password set" : "made"]]],
    ["pg_database", isThere ? [[1]] : []],
  ]);

async function said(session: ScriptedSession): Promise<string[]> {
  const lines: string[] = [];
  await setUp(session, wanted, (message) => lines.push(message));
  return lines;
}

test("roles and database are made, the database owned by the application's role", async () => {
  const session = sessionWith(false);
  assert.deepEqual(await said(session), [
    "role app: made",
    'database my "app": made, owned by app',
    "role monitor: made",
  ]);
  assert.ok(session.asked.includes('CREATE DATABASE "my ""app""" OWNER "app"'));
});

test("what exists is kept, and passwords are set again", async () => {
  const session = sessionWith(true);
  assert.deepEqual(await said(session), [
    "role app: password set",
    'database my "app": exists',
    "role monitor: password set",
  ]);
  assert.ok(session.asked.every((statement) => !statement.startsWith("CREATE")));
});

test("no password reaches the server, and the session is one of ours before anything else", async () => {
  const session = sessionWith(false);
  await said(session);
  assert.ok(session.asked.every((statement) => !/of-app|of-monitor/.test(statement)));
  assert.match(session.asked[0] ?? "", /^SET /);
});

async function waiting(answers: readonly string[]): Promise<{ lines: string[]; made: number }> {
  const left = [...answers];
  const lines: string[] = [];
  let made = 0;
  await untilPrimary({
    connect: () => Promise.resolve(left.shift() ?? new ScriptedSession(170_000)),
    makeInitializer: () => {
      made += 1;
      return Promise.resolve();
    },
    say: (message) => lines.push(message),
    pause: () => Promise.resolve(),
  });
  return { lines, made };
}

test("each reason to wait is told once", async () => {
  const { lines, made } = await waiting(["connect ECONNREFUSED", "connect ECONNREFUSED", "it is a replica"]);
  assert.deepEqual(lines, ["waiting for a primary: connect ECONNREFUSED", "waiting for a primary: it is a replica"]);
  assert.equal(made, 0);
});

test("the role of this Job is made where a server was reached and does not know it", async () => {
  assert.equal((await waiting(['password authentication failed for user "database_init"'])).made, 1);
});
