// The users that a Database has by itself, beside the members' administrator.
import type { Db, MongoClient } from "mongodb";
import { required } from "../environment";
import { log } from "../log";
import { administrator, refusalCodes, refusalOf } from "./ports";
import { serverKind } from "./settings";

interface User {
  readonly name: string;
  readonly password: string;
  readonly database: string;
  readonly roles: readonly { readonly role: string; readonly db: string }[];
}

/**
 * Creates the application's user and that of backups, or gives them their current passwords. `client`: of one who may. `databases`: that are the
 * application's, too, from now on.
 */
export async function ensureUsers(client: MongoClient, databases: readonly string[] = []): Promise<void> {
  for (const user of users(databases)) await ensureUser(client.db(user.database), user);
}

/** The same for the administrator, where that is not the one who asks. */
export const ensureAdministrator = (client: MongoClient, password: string): Promise<void> =>
  ensureUser(client.db("admin"), {
    ...{ name: administrator, password, database: "admin" },
    roles: [{ role: "root", db: "admin" }],
  });

function users(databases: readonly string[]): User[] {
  const database = required("APP_DATABASE");
  return [
    {
      name: required("APP_USER"),
      password: required("APP_PASSWORD"),
      database,
      roles: [...new Set([database, ...databases])].map((db) => ({ role: "dbOwner", db })),
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

async function ensureUser(database: Db, { name, password, roles }: User): Promise<void> {
  // FerretDB has no roles: anyone with a password may do everything there
  const rights = serverKind() === "ferretdb" ? { roles: [] } : { roles };
  try {
    await database.command({ createUser: name, pwd: password, ...rights });
    log("a user was created", { user: name });
  } catch (error) {
    if (refusalOf(error) !== refusalCodes.userExists) throw error;
    await database.command({ updateUser: name, pwd: password });
    // those that it has stay: an import gave it more
    if (serverKind() === "mongod") await database.command({ grantRolesToUser: name, roles });
    log("a user has its current password", { user: name });
  }
}
