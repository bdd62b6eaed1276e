// The program of the init Job: creates the application's user and that of backups, or gives them their current passwords.
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient, type Db } from "mongodb";
import { required } from "../environment";
import { log, textOf } from "../log";
import { administrator, refusalCodes, refusalOf } from "./ports";
import { serverKind } from "./settings";

/** How long a primary may take to appear, in milliseconds. */
const patienceMs = 600_000;

interface User {
  readonly name: string;
  readonly password: string;
  readonly database: string;
  readonly roles: readonly { readonly role: string; readonly db: string }[];
}

/** Waits for a primary and creates the users. It may run again at any time. */
export async function initialize(): Promise<void> {
  const client = await untilWritable();
  try {
    for (const user of users()) await ensureUser(client.db(user.database), user);
  } finally {
    await client.close();
  }
}

function users(): User[] {
  const database = required("APP_DATABASE");
  return [
    {
      name: required("APP_USER"),
      password: required("APP_PASSWORD"),
      database,
      roles: [{ role: "dbOwner", db: database }],
    },
    {
      name: required("BACKUP_USER"),
      password: required("BACKUP_PASSWORD"),
      database: "admin",
      // with the second one a backup asks which set it belongs to
      roles: [
        { role: "backup", db: "admin" },
        { role: "clusterMonitor", db: "admin" },
      ],
    },
  ];
}

/** A client of the primary. One whose first connection failed stays closed forever, so each attempt uses another one. */
async function untilWritable(): Promise<MongoClient> {
  const deadline = performance.now() + patienceMs;
  let said = "";
  for (;;) {
    const client = new MongoClient(`mongodb://${required("MONGODB_HOST")}/`, {
      directConnection: true,
      serverSelectionTimeoutMS: 5_000,
      auth: { username: administrator, password: required("SUPERUSER_PASSWORD") },
      authSource: "admin",
    });
    try {
      const { isWritablePrimary } = await client.db("admin").command({ hello: 1 });
      if (isWritablePrimary === true) return client;
    } catch (error) {
      const why = textOf(error);
      if (why !== said) log("waiting for a primary", { why });
      said = why;
    }
    await client.close();
    if (performance.now() > deadline) throw new Error(`no primary accepted the administrator's password: ${said}`);
    await delay(1_000);
  }
}

async function ensureUser(database: Db, { name, password, roles }: User): Promise<void> {
  // FerretDB has no roles: anyone with a password may do everything there
  const rights = serverKind() === "ferretdb" ? { roles: [] } : { roles };
  try {
    await database.command({ createUser: name, pwd: password, ...rights });
    log("a user was created", { user: name });
  } catch (error) {
    if (refusalOf(error) !== refusalCodes.userExists) throw error;
    const known = serverKind() === "ferretdb" ? {} : rights;
    await database.command({ updateUser: name, pwd: password, ...known });
    log("a user has its current password", { user: name });
  }
}
