// Reading and order of resourceVersions. Kubernetes lets clients compare those of one resource as numbers since 1.35, and etcd's
// revisions always grew; where they are no numbers, nothing counts as older.
import { z } from "zod";

const Versioned = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** The version of an object that the API server sent. */
export const versionOf = (object: unknown): string => Versioned.parse(object).metadata.resourceVersion;

/** Whether `version` came before `other`. */
export function isOlder(version: string, other: string): boolean {
  return Number(version) < Number(other);
}
