// Backups in object storage: where the pods of members and of Jobs find what they need for them, and the port on which a Job reaches members.

/** Files in these pods. What is not there yet is missing: a member must start without it. */
export const backupFiles = {
  /** pgBackRest's settings, without any secret. */
  repository: { directory: "/etc/database-backup/repository", file: "pgbackrest.conf" },
  /** The keys of the Secret that a person names. */
  credentials: { directory: "/etc/database-backup/credentials", id: "accessKeyId", secret: "secretAccessKey" },
  /** What everything there is encrypted with, where it is: the key of another Secret that a person names. */
  encryption: { directory: "/etc/database-backup/encryption", file: "passphrase" },
  /** The certificate authority of the object storage, where it has one of its own. */
  authority: { directory: "/etc/database-backup/ca", file: "ca.crt" },
} as const;

/** Where pgBackRest keeps what it may lose, of each container its own. */
export const scratchDirectory = "/tmp/pgbackrest";

/** The files by which a Job and the servers beside members know each other, and the settings of such a server. */
export const backupServer = {
  port: 8432,
  keyVariable: "BACKUP_KEY",
  certificate: `${scratchDirectory}/identity.crt`,
  key: `${scratchDirectory}/identity.key`,
  settings: `${scratchDirectory}/server.conf`,
  /** The name in their certificate. */
  name: "database-backup",
} as const;
