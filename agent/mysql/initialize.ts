// The program of the init Job: creates the accounts and the database that applications and the exporter use, and loads the time zones.
// Idempotent: what exists is kept, and passwords become what the Secrets say. They arrive by the environment; the server masks them in its logs.
// Its account may do no more than that. A primary creates it itself; one of an earlier image gets it from here, by the superuser, which such
// a primary lets in.
import { escape, escapeId } from "mysql2";
import { required, requiredNumber } from "../environment";
import { log } from "../log";
import { connectToPrimary, primaryAt, type RemoteArgs } from "./remote";
import { initializerStatements, initializerUser } from "./server/accounts";
import { loadTimeZones } from "./time-zones";

const deadlineSeconds = 600;

/** What must exist. */
export interface Wanted {
  readonly app: { readonly user: string; readonly password: string; readonly database: string };
  readonly monitor: { readonly user: string; readonly password: string };
}

/** A step, and its name in the log. */
export interface InitStep {
  readonly what: string;
  readonly statements: readonly string[];
}

/** The steps that create it. */
export function stepsTo({ app, monitor }: Wanted): InitStep[] {
  const [database, appUser, monitorUser] = [escapeId(app.database, true), escape(app.user), escape(monitor.user)];
  const account = (user: string, password: string): string[] => [
    `CREATE USER IF NOT EXISTS ${user}@'%'`,
    `ALTER USER ${user}@'%' IDENTIFIED BY ${escape(password)}`,
  ];
  return [
    { what: `database ${app.database}`, statements: [`CREATE DATABASE IF NOT EXISTS ${database}`] },
    {
      what: `account ${app.user}`,
      statements: [...account(appUser, app.password), `GRANT ALL ON ${grantable(app.database)}.* TO ${appUser}@'%'`],
    },
    {
      what: `account ${monitor.user}`,
      statements: [
        ...account(monitorUser, monitor.password),
        `ALTER USER ${monitorUser}@'%' WITH MAX_USER_CONNECTIONS 5`,
        `GRANT PROCESS, REPLICATION CLIENT ON *.* TO ${monitorUser}@'%'`,
        `GRANT SELECT ON performance_schema.* TO ${monitorUser}@'%'`,
      ],
    },
  ];
}

/** The name of a database in a grant, where _ and % stand for any characters unless they are escaped. */
export const grantable = (database: string): string => escapeId(database.replaceAll(/[_%]/g, String.raw`\$&`), true);

/** Runs the program. */
export async function runInit(): Promise<void> {
  const primary = {
    host: required("PRIMARY_HOST"),
    port: requiredNumber("SERVER_PORT"),
    user: initializerUser,
    password: required("SUPERUSER_PASSWORD"),
  };
  const monitor = { user: required("MONITOR_USER"), password: required("MONITOR_PASSWORD") };
  const steps = stepsTo({
    app: {
      user: required("APP_USER"),
      password: required("APP_PASSWORD"),
      database: required("APP_DATABASE"),
    },
    monitor,
  });
  const connection = await connectToPrimary(primary, deadlineSeconds, () => makeInitializer(primary));
  for (const { what, statements } of steps) {
    for (const statement of statements) await connection.query(statement);
    log("is there", { what });
  }
  await loadTimeZones(connection, monitor.user);
  await connection.end();
}

/** On a primary that has no such account, and lets the superuser in. */
async function makeInitializer(primary: RemoteArgs): Promise<void> {
  const found = await primaryAt({ ...primary, user: "root" });
  if (typeof found === "string") return;
  try {
    for (const statement of initializerStatements(primary.password)) await found.query(statement);
  } finally {
    found.destroy();
  }
}
