// The accounts that every member has from its first start, the same everywhere and in no log of changes.
import { escape } from "mysql2";
import type { MemberSettings } from "../settings";

/** Account of the members among themselves, and of backups. */
export const replicationUser = "replication";

/** What members need to copy from each other, and a backup to read everything. */
const replicationRights = [
  ...["REPLICATION SLAVE", "REPLICATION CLIENT", "BACKUP_ADMIN", "GROUP_REPLICATION_STREAM"],
  // a member that is closed to clients must be open to the others
  "CONNECTION_ADMIN",
  ...["SELECT", "SHOW VIEW", "TRIGGER", "EVENT", "LOCK TABLES", "PROCESS", "RELOAD", "SHOW_ROUTINE"],
];

/** Statements for the first start, one a line, with passwords in them. */
export function accountStatements({ passwords }: Pick<MemberSettings, "passwords">): string {
  const superuser = escape(passwords.superuser);
  const statements = [
    `ALTER USER root@localhost IDENTIFIED BY ${superuser}`,
    `CREATE USER root@'%' IDENTIFIED BY ${superuser}`,
    `GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION`,
    `CREATE USER ${replicationUser}@'%' IDENTIFIED BY ${escape(passwords.replication)}`,
    `GRANT ${replicationRights.join(", ")} ON *.* TO ${replicationUser}@'%'`,
  ];
  return statements.map((statement) => `${statement};\n`).join("");
}
