import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { notingStatements, settingStatements } from "./session-statements";
import { sessionOptions, sessionValues } from "./sessions";

test("a server is given the values that it knows", () => {
  assert.equal(sessionValues(160_010)["transaction_timeout"], undefined);
  assert.equal(sessionValues(170_000)["transaction_timeout"], "0");
  assert.equal(sessionValues(130_023)["idle_session_timeout"], undefined);
  assert.equal(sessionValues(140_000)["idle_session_timeout"], "0");
  assert.equal(sessionValues(130_023)["idle_in_transaction_session_timeout"], "0");
  assert.equal(sessionValues(90_500)["idle_in_transaction_session_timeout"], undefined);
  assert.equal(sessionValues(90_500)["statement_timeout"], "0");
});

test("options are those of any version, more of them count, and what would end one early is escaped", () => {
  const options = sessionOptions({ statement_timeout: "10s", application: String.raw`a\b c` });
  assert.match(options, /^-c statement_timeout=10s -c lock_timeout=0 /);
  assert.ok(options.includes(String.raw`-c default_transaction_isolation=read\ committed `));
  assert.ok(options.endsWith(String.raw`-c application=a\\b\ c`));
  assert.ok(!options.includes("transaction_timeout"));
});

test("a value is noted for a role, or set for the present session, as a text", () => {
  const isolation = `"default_transaction_isolation"`;
  const noted = `ALTER ROLE "replicator" IN DATABASE postgres SET ${isolation} = 'read committed'`;
  assert.ok(notingStatements("replicator", 150_000).includes(noted));
  assert.ok(settingStatements(150_000).includes(`SET ${isolation} = 'read committed'`));
});

test("the backup Job's program has the same values", () => {
  const program = readFileSync(join(__dirname, "../../../images/postgresql/postgresql_sessions.py"), "utf8");
  const [, body = ""] = /SETTINGS = \{\n(.*?)\n\}/s.exec(program) ?? [];
  const theirs = [...body.matchAll(/^ {4}"(\w+)": "(.*)",$/gm)].map(([, name, value]) => [name, value]);
  assert.deepEqual(theirs, Object.entries(sessionValues(150_000)));
});
