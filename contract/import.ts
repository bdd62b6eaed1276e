// How a new Database takes in the data of a server elsewhere: what its import Job is told, and what the program says at its end.
import type { Consistency } from "./backup-report";

/** How the way to the server is secured: encrypted and known by its certificate, encrypted, or neither. */
export const tlsModes = ["Verify", "Require", "Disable"] as const;
export type TlsMode = (typeof tlsModes)[number];

/** Keys of the Secret by which the server is entered. */
export const sourceKeys = { username: "username", password: "password" } as const;

/** Where the pod has the authority of the server's certificate, where it has one of its own: the key of another Secret. */
export const sourceAuthority = { directory: "/etc/database-import/ca", file: "ca.crt" } as const;

/** The environment of the program. */
export const sourceVariables = {
  host: "IMPORT_HOST",
  port: "IMPORT_PORT",
  /** As JSON. */
  databases: "IMPORT_DATABASES",
  username: "IMPORT_USERNAME",
  password: "IMPORT_PASSWORD",
  tls: "IMPORT_TLS",
  /** File of the authority; missing: the usual ones. */
  authority: "IMPORT_AUTHORITY",
} as const;

/** What was imported: in the termination message of a Job that ended well. */
export interface ImportReport {
  readonly imported: {
    /** Version of the server that it came from, such as "15.18". */
    readonly version: string;
    /** How many tables, or collections. */
    readonly tables: number;
    /** How many rows, or documents, they have together: counted on both sides. */
    readonly rows: number;
    readonly consistency: Consistency;
  };
}
