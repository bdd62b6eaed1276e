// Order of resourceVersions. Kubernetes lets clients compare those of one resource as numbers since 1.35, and etcd's
// revisions always grew; where they are no numbers, nothing counts as older.

/** Whether `version` came before `other`. */
export function isOlder(version: string, other: string): boolean {
  return Number(version) < Number(other);
}
