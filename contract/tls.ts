// TLS of a Database: how it is asked for, and where its pods find what they need for it.

/** Not at all, with it and without it, or with it alone. */
export const serverTlsModes = ["Off", "Prefer", "Require"] as const;
export type ServerTls = (typeof serverTlsModes)[number];

/** The keys of the Secrets `<name>-server-tls` and `<name>-ca`, by the names that every tool knows. */
export const tlsKeys = { authorities: "ca.crt", certificate: "tls.crt", key: "tls.key" } as const;

/** Where members have the Secret `<name>-server-tls`, as files that are replaced while they run. */
export const tlsDirectory = "/etc/database-tls";

/** Such a file. */
export const tlsFile = (what: keyof typeof tlsKeys): string => `${tlsDirectory}/${tlsKeys[what]}`;

/** Where clients are told to have the Secret `<name>-ca`. */
export const clientAuthorityFile = "/etc/database-ca/ca.crt";

/** By which members are told to check each other, and by whose certificates. */
export const peerVariables = {
  mode: "PATRONI_REPLICATION_SSLMODE",
  authorities: "PATRONI_REPLICATION_SSLROOTCERT",
} as const;

/** What a Job knows members by: authorities, in PEM. Missing: it connects without TLS. */
export const authoritiesVariable = "DATABASE_AUTHORITIES";

/** Whether a pod beside members must know them by that, or takes them without TLS as well where they have none: a variable of libpq's, and its words. */
export const clientModeVariable = "PGSSLMODE";
/** The key of the Secret `<name>-ca` that has it for Jobs. */
export const clientModeKey = "sslmode";
export const clientModes = { Prefer: "prefer", Require: "verify-ca" } as const;
