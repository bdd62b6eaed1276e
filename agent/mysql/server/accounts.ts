// The accounts that every member has from its first start, the same everywhere and in no binary log.
import { escape } from "mysql2";
import { application } from "../../../contract/defaults";
import type { MemberSettings } from "../settings";
import { timeZoneTables } from "../time-zones";

/** The account for members to reach each other, and for backups. */
export const replicationUser = "replication";

/** Account of the init Job. */
export const initializerUser = "database_init";

/** The superuser of other pods; members use root@localhost. It is locked or not, and always exists: what it has defined keeps running. */
export const networkSuperuser = "root@'%'";

/** What members need to copy from each other, and backups from them. */
const replicationRights = [
  ...["REPLICATION SLAVE", "REPLICATION CLIENT", "BACKUP_ADMIN", "GROUP_REPLICATION_STREAM"],
  // a member that is closed to clients must be open to the others
  "CONNECTION_ADMIN",
  // how large it is, and how far
  ...["SELECT", "PROCESS"],
];

/**
 * Statements that create the account of the init Job, which needs no superuser: it may create accounts, give them the application's database
 * and what the exporter reads, and load time zones. Accounts with SYSTEM_USER, as root and the members' own, are out of its reach.
 */
export function initializerStatements(password: string): string[] {
  const user = `${initializerUser}@'%'`;
  return [
    // locked until it is complete
    `CREATE USER IF NOT EXISTS ${user} ACCOUNT LOCK`,
    `GRANT CREATE USER, PROCESS, REPLICATION CLIENT ON *.* TO ${user} WITH GRANT OPTION`,
    // users' init_connect does not apply to it, and a server without a free connection has one for it
    `GRANT CONNECTION_ADMIN ON *.* TO ${user}`,
    // the application's account may be the definer of views and the like, be it there or not
    `GRANT ALLOW_NONEXISTENT_DEFINER ON *.* TO ${user}`,
    `GRANT SELECT ON performance_schema.* TO ${user} WITH GRANT OPTION`,
    `GRANT ALL ON ${application.database}.* TO ${user} WITH GRANT OPTION`,
    ...timeZoneTables.map((table) => `GRANT SELECT, INSERT, DELETE ON mysql.${table} TO ${user}`),
    `GRANT SYSTEM_USER ON *.* TO ${replicationUser}@'%'`,
    `ALTER USER ${user} IDENTIFIED BY ${escape(password)} ACCOUNT UNLOCK`,
  ];
}

/** Statements that create the superuser of other pods, locked. */
export const networkSuperuserStatements = (password: string): string[] => [
  `CREATE USER IF NOT EXISTS ${networkSuperuser} IDENTIFIED BY ${escape(password)} ACCOUNT LOCK`,
  `GRANT ALL ON *.* TO ${networkSuperuser} WITH GRANT OPTION`,
];

/** An account of which the init Job sets the password, too. */
export interface Account {
  readonly user: string;
  readonly password: string;
}

/** Statements that give the accounts in a copy of another Database's data the passwords of this one; the superuser's own comes before. */
export function takeOverStatements(
  { passwords }: Pick<MemberSettings, "passwords">,
  others: readonly Account[],
): string[] {
  const [superuser, replication] = [escape(passwords.superuser), escape(passwords.replication)];
  return [
    // it was let in over the network there, perhaps: here the spec says
    `ALTER USER IF EXISTS ${networkSuperuser} IDENTIFIED BY ${superuser} ACCOUNT LOCK`,
    `CREATE USER IF NOT EXISTS ${replicationUser}@'%'`,
    `ALTER USER ${replicationUser}@'%' IDENTIFIED BY ${replication} ACCOUNT UNLOCK`,
    `GRANT ${replicationRights.join(", ")} ON *.* TO ${replicationUser}@'%'`,
    ...initializerStatements(passwords.superuser),
    ...others.map(({ user, password }) => `ALTER USER IF EXISTS ${escape(user)}@'%' IDENTIFIED BY ${escape(password)}`),
  ];
}

/** Statements for the first start, one a line, with passwords in them. */
export function accountStatements({ passwords }: Pick<MemberSettings, "passwords">): string {
  const statements = [
    `ALTER USER root@localhost IDENTIFIED BY ${escape(passwords.superuser)}`,
    ...networkSuperuserStatements(passwords.superuser),
    `CREATE USER ${replicationUser}@'%' IDENTIFIED BY ${escape(passwords.replication)}`,
    `GRANT ${replicationRights.join(", ")} ON *.* TO ${replicationUser}@'%'`,
    ...initializerStatements(passwords.superuser),
  ];
  return statements.map((statement) => `${statement};\n`).join("");
}
