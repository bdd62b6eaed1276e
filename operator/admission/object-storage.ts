// What is said of a Database whose backups go to object storage, or come from there, for which something is missing. It is no reason to refuse: a
// Secret may come later.
import type { DatabaseSpec } from "../api/spec";
import { lacksOf, type ReadSecretKeys } from "../domain/storage-secrets";

/** Where a spec names object storage, and what waits for its Secrets. */
interface Named {
  readonly path: string;
  readonly encryptionPath: string;
  readonly s3: { readonly credentials: { readonly name: string }; readonly ca?: { readonly name: string } | undefined };
  readonly encryption: { readonly secret: { readonly name: string } } | undefined;
  readonly waits: string;
}

/** As sentences: of backups. */
export async function storageWarnings(
  namespace: string,
  { backup }: DatabaseSpec,
  secretKeys: ReadSecretKeys,
): Promise<readonly string[]> {
  const s3 = backup.destination?.s3;
  if (s3 === undefined || !backup.enabled) return [];
  const path = "spec.backup.destination.s3";
  const { encryption } = backup;
  const named = { path, encryptionPath: "spec.backup.encryption", s3, encryption, waits: "nothing is backed up" };
  const open = s3.endpoint.startsWith("http://")
    ? [`${path}.endpoint: over http:// the whole database is readable on the way; write https:// where you can`]
    : [];
  return [...(await secretWarnings(namespace, named, secretKeys)), ...open];
}

/** The same of what a new Database begins with. */
export async function restoreWarnings(
  namespace: string,
  { restore }: DatabaseSpec,
  secretKeys: ReadSecretKeys,
): Promise<readonly string[]> {
  const s3 = restore?.s3;
  if (s3 === undefined) return [];
  const path = "spec.restore.s3";
  const { encryption } = s3;
  const named = { path, encryptionPath: `${path}.encryption`, s3, encryption, waits: "the restore waits" };
  return secretWarnings(namespace, named, secretKeys);
}

async function secretWarnings(
  namespace: string,
  { path, encryptionPath, s3, encryption, waits }: Named,
  secretKeys: ReadSecretKeys,
): Promise<readonly string[]> {
  const secrets = { credentials: s3.credentials.name, encryption: encryption?.secret.name, ca: s3.ca?.name };
  const fields = { credentials: `${path}.credentials`, encryption: `${encryptionPath}.secret`, ca: `${path}.ca` };
  const lacks = await lacksOf(namespace, secrets, secretKeys);
  return lacks.map(({ of, what, until }) => `${fields[of]}: ${what}; until ${until}, ${waits}`);
}
