// The role by which queries are asked: what the statements that make it say.
import assert from "node:assert/strict";
import test from "node:test";
import type { Session } from "../server/connection";
import { makeReader, prepareDatabase } from "./reader";

function recording(taken: readonly string[] = []): { readonly session: Session; readonly statements: string[] } {
  const statements: string[] = [];
  const session: Session = {
    version: 170_012,
    run: (statement) => {
      statements.push(statement);
      return Promise.resolve();
    },
    rows: (statement) => Promise.resolve(taken.some((name) => statement.endsWith(`'${name}'`)) ? [[]] : []),
    close: () => undefined,
  };
  return { session, statements };
}

test("before it can read anything, the verifiers and the passwords of other servers are gone from the copy", async () => {
  const { session, statements } = recording();
  await prepareDatabase(session, "app");
  await makeReader(session, "app");
  const made = statements.findIndex((statement) => statement.startsWith("CREATE ROLE"));
  for (const wiped of ["pg_authid SET rolpassword", "pg_subscription SET subconninfo", "pg_user_mapping SET umoptions"])
    assert.ok(
      statements.slice(0, made).some((statement) => statement.includes(wiped)),
      wiped,
    );
});

test("it writes nothing, logs nothing of the data, and is no role that the data have already", async () => {
  const { session, statements } = recording(["database_verify"]);
  assert.equal(await makeReader(session, "app"), "database_verify_");
  const all = statements.join("\n");
  assert.match(all, /"default_transaction_read_only" = 'on'/);
  assert.match(all, /"log_min_messages" = 'panic'/);
  assert.doesNotMatch(all, /SUPERUSER(?<!NOSUPERUSER)|pg_write|pg_read_server_files|pg_execute/);
});

test("it gets in where no one may connect but whom that was granted", async () => {
  const { session, statements } = recording();
  await prepareDatabase(session, "app");
  await makeReader(session, "app");
  assert.ok(statements.includes('GRANT CONNECT ON DATABASE "app" TO "database_verify"'));
  assert.ok(statements.includes('ALTER DATABASE "app" CONNECTION LIMIT -1'));
});
