// The role by which the queries of the Database's author are asked: it reads all that applications wrote, and nothing of the superuser's.
//
// It is made in the copy, which is thrown away, and there alone. What the former server kept for itself is taken out of the copy's catalogs
// first: who may read all data reads those, too.
import { escapeIdentifier, escapeLiteral } from "pg";
import type { Session } from "../server/connection";

const usualName = "database_verify";

/** What its sessions begin with. Its errors tell of the data: they are in none of the server's logs. */
const settings = {
  default_transaction_read_only: "on",
  log_min_messages: "panic",
  log_min_error_statement: "panic",
  log_statement: "none",
  log_min_duration_statement: "-1",
  client_min_messages: "error",
} as const;

/** Makes the role, which reads this database, and returns its name. `session`: the superuser's. */
export async function makeReader(session: Session, database: string): Promise<string> {
  let name = usualName;
  while ((await session.rows(`SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)}`)).length > 0) name += "_";
  const role = escapeIdentifier(name);
  await session.run("UPDATE pg_catalog.pg_authid SET rolpassword = NULL");
  await session.run("UPDATE pg_catalog.pg_subscription SET subconninfo = ''");
  await session.run(`CREATE ROLE ${role} LOGIN NOINHERIT`);
  // without it, tables whose rows have policies would look empty
  await session.run(`ALTER ROLE ${role} INHERIT BYPASSRLS`);
  await session.run(`GRANT pg_read_all_data TO ${role}`);
  // to revoke it from PUBLIC is usual
  await session.run(`GRANT CONNECT ON DATABASE ${escapeIdentifier(database)} TO ${role}`);
  for (const [key, value] of Object.entries(settings))
    await session.run(`ALTER ROLE ${role} SET ${escapeIdentifier(key)} = ${escapeLiteral(value)}`);
  return name;
}

/** What else the superuser does, in the database that is asked. */
export async function prepareDatabase(session: Session, database: string): Promise<void> {
  // passwords of other servers
  await session.run("UPDATE pg_catalog.pg_user_mapping SET umoptions = NULL");
  // a library may want what this server was not started with
  await session.run(`ALTER DATABASE ${escapeIdentifier(database)} RESET session_preload_libraries`);
  await session.run(`ALTER DATABASE ${escapeIdentifier(database)} CONNECTION LIMIT -1`);
}
