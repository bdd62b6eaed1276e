// The time zones that SQL can name: those of the image's zone data, loaded into the server's own tables. It happens in one transaction of
// rows, which reaches all members like any other and shows no one empty tables; no server restarts.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { escape } from "mysql2";
import type { Connection } from "mysql2/promise";
import { z } from "zod";
import { log } from "../log";
import { cleanEnvironment } from "../supervise/run";

/** Where the image has its zone data. */
const zoneDirectory = "/usr/share/zoneinfo";

/** The tables of the database `mysql` that hold them. */
export const timeZoneTables = ["time_zone", "time_zone_name", "time_zone_transition", "time_zone_transition_type"];

/** What the tables are to hold. */
export interface TimeZones {
  /** The same for the same zones. */
  readonly version: string;
  /** Statements for a transaction in the database `mysql`, whatever the tables hold before. */
  readonly statements: readonly string[];
}

/**
 * The zones in what `mysql_tzinfo_to_sql` prints. It would truncate the tables, which ends any transaction, so rows are deleted instead of
 * that. Throws where anything but rows is left.
 */
export function timeZonesIn(printed: string): TimeZones {
  const printedStatements = printed
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "" && !/^(?:TRUNCATE TABLE|START TRANSACTION|COMMIT)\b/.test(statement));
  const other = printedStatements.find((one) => !/^(?:INSERT INTO time_zone|SET @time_zone_id\s*=)/.test(one));
  if (other !== undefined)
    throw new Error(`mysql_tzinfo_to_sql printed something that is not a row: ${other.slice(0, 80)}`);
  if (printedStatements.length === 0) throw new Error(`there is no time zone in ${zoneDirectory} of the image`);
  const statements = [...timeZoneTables.map((table) => `DELETE FROM ${table}`), ...printedStatements];
  return { version: createHash("sha256").update(statements.join(";\n")).digest("hex").slice(0, 16), statements };
}

/** Reads the image's zones. Throws where the image has none, or no program to read them. */
async function timeZonesOfImage(): Promise<TimeZones> {
  const child = spawn("mysql_tzinfo_to_sql", [zoneDirectory], {
    stdio: ["ignore", "pipe", "inherit"],
    env: cleanEnvironment(),
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  const [printed, [code]] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error("mysql_tzinfo_to_sql failed: see its message above");
  return timeZonesIn(printed);
}

const Loaded = z.array(z.object({ version: z.string(), names: z.coerce.number() })).length(1);

/**
 * Loads the image's zones on the primary, unless the server has them. Their version is an attribute of `account`, written after the rows: where
 * this is interrupted in between, they are loaded again.
 */
export async function loadTimeZones(connection: Connection, account: string): Promise<void> {
  const zones = await timeZonesOfImage();
  if (await isLoaded(connection, account, zones.version)) return;
  await connection.query("USE mysql");
  await connection.beginTransaction();
  for (const statement of zones.statements) await connection.query(statement);
  await connection.commit();
  const attribute = JSON.stringify({ timeZones: zones.version });
  await connection.query(`ALTER USER ${escape(account)}@'%' ATTRIBUTE ${escape(attribute)}`);
  log("loaded", { what: "time zones", version: zones.version });
}

async function isLoaded(connection: Connection, account: string, version: string): Promise<boolean> {
  const [rows] = await connection.query(
    `SELECT COALESCE(JSON_UNQUOTE(JSON_EXTRACT(ATTRIBUTE, '$.timeZones')), '') AS version,
       (SELECT COUNT(*) FROM mysql.time_zone_name) AS names
     FROM information_schema.USER_ATTRIBUTES WHERE USER = ? AND HOST = '%'`,
    [account],
  );
  const [loaded] = Loaded.parse(rows);
  return loaded !== undefined && loaded.version === version && loaded.names > 0;
}
