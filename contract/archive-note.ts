// What a primary whose changes are kept beside backups says of that in an annotation of its pod: written by its own program, read by the operator.
import { keyPrefix } from "./resources";

/** The annotation; only the primary has it. */
export const archiveAnnotation = `${keyPrefix}/archive`;

/** How the archive fares: everything arrives, or something waits and is tried again. */
export const archiveStates = ["Arriving", "Waiting"] as const;

/** The value of the annotation, as JSON. */
export interface ArchiveNote {
  readonly state: (typeof archiveStates)[number];
  /** Why; missing where everything arrives. */
  readonly message?: string;
  /** What was given up last, so that no restore gets past it: the last segment, or which transactions, and when, in RFC 3339. Missing: nothing. */
  readonly gap?: { readonly segment: string; readonly at: string };
  /** The earliest moment that a restore can go back to, in RFC 3339. Missing: there is none, or backups tell it. */
  readonly recoverableFrom?: string;
}

/** What the program that keeps changes on the backup volume says of it in a session on the primary: each time with another number, so that one that says nothing new is told from one that is gone. */
export interface ToldNote extends ArchiveNote {
  readonly beat: number;
}

/** Where the archive command leaves what it has to say, and where it notes what was given up. */
export const archiveFiles = {
  complaint: "/run/postgresql/archive-complaint",
  gap: "/run/postgresql/archive-gap",
  /** There while nothing has arrived since something was given up: for the server that is archived as well. */
  dropping: "/run/postgresql/archive-dropping",
} as const;

/** PostgreSQL's replication slot that holds WAL until it is on the backup volume. Patroni makes it, on every member. */
export const archiveSlot = "database_archive";

/** The variable of a session on the primary in which the program that keeps MySQL's binary logs says all of it, as JSON: gone with the program. */
export const archiveVariable = "database_archive";
