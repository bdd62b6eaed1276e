// The two ways in which the data of a new Database come to be there, restored or imported: what is said of each.
import { importJobName, restoreJobName } from "../../components/naming";
import type { DatabaseSpec } from "../api/spec";
import type { DesiredRestore } from "../domain/restore";

/** A way, with its words. */
export const beginnings = {
  restore: {
    progress: "Restoring",
    refused: "RestoreRefused",
    failed: "RestoreFailed",
    succeeded: "RestoreSucceeded",
    field: "spec.restore",
    thing: "the restore",
    source: "no backup",
    data: "the copy",
    does: "copies",
    done: "has copied",
    job: restoreJobName,
  },
  import: {
    progress: "Importing",
    refused: "ImportRefused",
    failed: "ImportFailed",
    succeeded: "ImportSucceeded",
    field: "spec.initFrom",
    thing: "the import",
    source: "no import",
    data: "what was imported",
    does: "imports",
    done: "has imported",
    job: importJobName,
  },
} as const;

/** See `beginnings`. */
export type Beginning = (typeof beginnings)[keyof typeof beginnings];

/** That of data which come from there. */
export const beginningOf = (restore: DesiredRestore): Beginning =>
  "server" in restore ? beginnings.import : beginnings.restore;

/** What a spec asks for; undefined where it asks for neither. */
export function beginningIn({ restore, initFrom }: Pick<DatabaseSpec, "restore" | "initFrom">): Beginning | undefined {
  if (initFrom !== undefined) return beginnings.import;
  return restore === undefined ? undefined : beginnings.restore;
}
