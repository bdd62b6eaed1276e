// The server that databases are imported from: what is looked at before they are dumped.
import { isIP } from "node:net";
import { escape } from "mysql2";
import { createConnection, type Connection } from "mysql2/promise";
import { z } from "zod";
import { isPassing, reach } from "../../import/reach";
import { titleOf, tlsOptionsOf, type Source } from "../../import/source";
import { log } from "../../log";
import { missingRights, versionNumber, type Reading } from "./rights";

const patienceMs = 30_000;

/** Of servers that begin, end, or have no free connection. */
const passingCodes: ReadonlySet<unknown> = new Set([
  "ER_CON_COUNT_ERROR",
  "ER_SERVER_SHUTDOWN",
  "PROTOCOL_CONNECTION_LOST",
]);

const mayPass = (error: unknown): boolean =>
  isPassing(error) || (error instanceof Error && "code" in error && passingCodes.has(error.code));

/** The driver compares certificates with names: of an address it would ask for `localhost`. */
export const addressProblem = ({ host, tls }: Pick<Source, "host" | "tls">): string | undefined =>
  tls === "Verify" && isIP(host) !== 0
    ? `the certificate of ${host} cannot be verified by an address: delete the Database, and create it again with a name of its certificate for initFrom.host`
    : undefined;

/** A connection there. Throws where the server lets no one in. */
export async function enter(source: Source): Promise<Connection> {
  const problem = addressProblem(source);
  if (problem !== undefined) throw new Error(problem);
  const { host, port, username: user, password } = source;
  const tls = tlsOptionsOf(source);
  const connect = (): Promise<Connection> =>
    createConnection({
      ...{ host, port, user, password, connectTimeout: patienceMs },
      // without TLS a password may still be sent by the server's own key
      ...(tls !== undefined && {
        ssl: {
          ca: source.authorities,
          rejectUnauthorized: tls.rejectUnauthorized === true,
          verifyIdentity: tls.rejectUnauthorized === true,
        },
      }),
    });
  const said = (message: string): void => {
    log(message);
  };
  return reach(connect, { title: titleOf(source), log: said, isPassing: mayPass });
}

/** What is known of the source. */
export interface Found {
  /** As the server says it. */
  readonly version: string;
  /** Those of the databases that were asked for. */
  readonly databases: readonly string[];
  /** By `database.table`. */
  readonly tables: readonly FoundTable[];
  /** The statements that give the user what it needs to see all of them. */
  readonly missingRights: readonly string[];
  /** Events whose text has two semicolons side by side, at which mysqldump never ends. */
  readonly endlessEvents: readonly string[];
}

/** A table with rows of its own. */
export interface FoundTable {
  readonly name: string;
  /** Empty where the server cannot tell. */
  readonly engine: string;
  /** Whether it has a primary key, or what the group takes for one. */
  readonly hasKey: boolean;
  /** Whether its file is encrypted with a key that the server has. */
  readonly isEncrypted: boolean;
}

/** What is asked of a connection: rows, and what describes them. */
export interface Asked {
  query(statement: string): Promise<readonly [unknown, unknown]>;
}

const Version = z.tuple([z.object({ version: z.string() })]);
const Names = z.array(z.object({ name: z.string() }));
const Tables = z.array(
  z.object({
    name: z.string(),
    engine: z.string().nullable(),
    options: z.string().nullable(),
    keys: z.coerce.number(),
  }),
);

/** Looks at these databases. */
export async function lookAt(source: Asked, databases: readonly string[]): Promise<Found> {
  // grants are told in the form that is read here
  await source.query("SET SESSION sql_mode = '', SESSION sql_quote_show_create = 1");
  const [version] = Version.parse(await rowsOf(source, "SELECT VERSION() AS version"));
  const list = databases.map((name) => escape(name)).join(", ");
  const there = Names.parse(
    await rowsOf(source, `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME IN (${list})`),
  );
  const tables = Tables.parse(await rowsOf(source, tablesStatement(list)));
  const events = Names.parse(
    await rowsOf(
      source,
      `SELECT CONCAT(EVENT_SCHEMA, '.', EVENT_NAME) AS name FROM information_schema.EVENTS
        WHERE EVENT_DEFINITION LIKE '%;;%' AND EVENT_SCHEMA IN (${list}) ORDER BY 1`,
    ),
  );
  return {
    version: version.version,
    databases: there.map(({ name }) => name),
    tables: tables.map(({ name, engine, options, keys }) => ({
      ...{ name, engine: engine ?? "", hasKey: keys > 0 },
      isEncrypted: /\bencryption=["']y/i.test(options ?? ""),
    })),
    endlessEvents: events.map(({ name }) => name),
    missingRights: missingRights(databases, await rightsIn(source, versionNumber(version.version))),
  };
}

const Lines = z.array(z.record(z.string(), z.string()));
const Role = z.tuple([z.object({ role: z.string() })]);
const Switch = z.tuple([z.object({ isOn: z.coerce.boolean() })]);

const rolesSince = 80_000;
const partialSince = 80_016;

async function rightsIn(source: Asked, version: number): Promise<Reading> {
  const [{ role }] =
    version >= rolesSince ? Role.parse(await rowsOf(source, "SELECT CURRENT_ROLE() AS role")) : [{ role: "NONE" }];
  const using = role === "NONE" ? "" : ` USING ${role}`;
  const lines = Lines.parse(await rowsOf(source, `SHOW GRANTS FOR CURRENT_USER()${using}`));
  const [{ isOn }] =
    version >= partialSince
      ? Switch.parse(await rowsOf(source, "SELECT @@GLOBAL.partial_revokes AS isOn"))
      : [{ isOn: false }];
  return { version, isLiteral: isOn, grants: lines.flatMap((line) => Object.values(line)) };
}

/** A key counts where it lets no row be without it, and none be twice. */
const tablesStatement = (list: string): string => `
  SELECT CONCAT(t.TABLE_SCHEMA, '.', t.TABLE_NAME) AS name, t.ENGINE AS engine, t.CREATE_OPTIONS AS options, (
    SELECT COUNT(*) FROM (
      SELECT s.TABLE_SCHEMA, s.TABLE_NAME, s.INDEX_NAME FROM information_schema.STATISTICS s
      WHERE s.NON_UNIQUE = 0 GROUP BY 1, 2, 3 HAVING SUM(s.NULLABLE = 'YES') = 0
    ) k WHERE k.TABLE_SCHEMA = t.TABLE_SCHEMA AND k.TABLE_NAME = t.TABLE_NAME
  ) AS \`keys\`
  FROM information_schema.TABLES t
  WHERE t.TABLE_TYPE = 'BASE TABLE' AND t.TABLE_SCHEMA IN (${list})
  ORDER BY 1`;

/** The rows of an answer. */
export async function rowsOf(server: Asked, statement: string): Promise<unknown> {
  const [rows] = await server.query(statement);
  return rows;
}
