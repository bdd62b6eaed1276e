// Statements by which sessions have our own values (sessions.ts) that do not begin with them. Patroni's connections, and those of its pg_rewind,
// have options of Patroni's own: for them the values are noted for a role in the database `postgres`, which nobody else uses.
import { escapeIdentifier, escapeLiteral } from "pg";
import { sessionValues } from "./sessions";

/** Statements by which sessions of the role in the database `postgres` begin with them from now on. */
export const notingStatements = (role: string, version: number): string[] =>
  Object.entries(sessionValues(version)).map(
    ([name, value]) =>
      `ALTER ROLE ${escapeIdentifier(role)} IN DATABASE postgres SET ${escapeIdentifier(name)} = ${escapeLiteral(value)}`,
  );

/** Statements by which the present session continues with them. */
export const settingStatements = (version: number): string[] =>
  Object.entries(sessionValues(version)).map(
    ([name, value]) => `SET ${escapeIdentifier(name)} = ${escapeLiteral(value)}`,
  );
