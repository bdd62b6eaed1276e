// What is said of a Database whose backups go to object storage for which something is missing. It is no reason to refuse: a Secret may come later.
import { backupFiles } from "../../contract/object-storage";
import type { DatabaseSpec } from "../api/spec";

/** The keys of a Secret; undefined where there is none. */
export type ReadSecretKeys = (namespace: string, name: string) => Promise<ReadonlySet<string> | undefined>;

/** As sentences. */
export async function storageWarnings(
  namespace: string,
  { backup }: DatabaseSpec,
  secretKeys: ReadSecretKeys,
): Promise<readonly string[]> {
  const s3 = backup.destination?.s3;
  if (s3 === undefined || !backup.enabled) return [];
  const path = "spec.backup.destination.s3";
  const { credentials, encryption, authority } = backupFiles;
  const passphrase = backup.encryption?.secret.name;
  const wanted = [
    { field: `${path}.credentials`, name: s3.credentials.name, keys: [credentials.id, credentials.secret] },
    ...(passphrase === undefined
      ? []
      : [{ field: "spec.backup.encryption.secret", name: passphrase, keys: [encryption.file] }]),
    ...(s3.ca === undefined ? [] : [{ field: `${path}.ca`, name: s3.ca.name, keys: [authority.file] }]),
  ];
  const missing = wanted.map(async ({ field, name, keys }) => {
    const found = await secretKeys(namespace, name);
    if (found === undefined) return [`${field}: there is no Secret ${name} yet; until there is, nothing is backed up`];
    return keys
      .filter((key) => !found.has(key))
      .map((key) => `${field}: Secret ${name} has no key ${key} yet; until it has, nothing is backed up`);
  });
  const open = s3.endpoint.startsWith("http://")
    ? [`${path}.endpoint: over http:// the whole database is readable on the way; write https:// where you can`]
    : [];
  return [...(await Promise.all(missing)).flat(), ...open];
}
