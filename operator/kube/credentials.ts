// The passwords of record of each Database, in a Secret of the operator's namespace.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { credentialsSecretName, dataClaimNames, systemSecretKeys, systemSecretName } from "../../components/naming";
import { placeOf, type Key } from "../domain/key";
import { stackOf } from "../domain/stack-names";
import type { Passwords } from "../domain/desired";
import type { ChildName } from "../domain/children";
import type { Credentials } from "../domain/ports";
import { keepFormer, type KeptRecord } from "./former-credentials";
import { decode, encode, ensureSecret, Secret, type SecretBody, type Store } from "./operator-secrets";
import { maxMembers } from "../../contract/limits";
import { namespaceUid, ownerAnnotation } from "./namespace-uid";
import { item, resources } from "./paths";

const StoredPasswords = z.object({
  app: z.string().min(1),
  superuser: z.string().min(1),
  replication: z.string().min(1),
  monitor: z.string().min(1),
  rest: z.string().min(1),
});

/** 32 characters of the URL-safe alphabet: 192 random bits, and nothing that a URI or shell would have to quote. */
const randomPassword = (): string => randomBytes(24).toString("base64url");

export function createCredentials(store: Store): Credentials {
  const recordOf = (key: Key): string => `credentials.${stackOf(key)}`;
  const pathOf = (key: Key): string => item(resources.secrets, store.namespace, recordOf(key));
  const keep = (key: Key, former: Secret): Promise<KeptRecord | undefined> =>
    keepFormer(store, { key, name: recordOf(key), of: ownerOf(former) }, former);
  return {
    async ensure(key, { existing, isFirst = false } = {}) {
      const owner = isFirst ? await namespaceUid(store.client, placeOf(key).namespace) : undefined;
      const make = async (): Promise<Omit<SecretBody, "name">> => ({
        record: "credentials",
        data: mapValues({ ...newPasswords(), ...(await inUse(store, key, existing)) }, encode),
        annotations: owner === undefined ? {} : { [ownerAnnotation]: owner },
      });
      const counts = ({ metadata: { annotations } }: Secret): boolean => {
        const former = annotations[ownerAnnotation];
        if (owner === undefined || former === owner) return true;
        return former === undefined && hasData(key, existing);
      };
      const before = (former: Secret): Promise<unknown> => keep(key, former);
      const kept = await ensureSecret(store, recordOf(key), make, { counts, before, isNew: isFirst });
      return StoredPasswords.parse(mapValues(kept, decode));
    },
    async remove(key) {
      await store.client.delete(pathOf(key));
    },
    async retire(key) {
      const object = await store.client.find(pathOf(key));
      if (object === undefined) return undefined;
      const kept = await keep(key, Secret.parse(object));
      await store.client.delete(pathOf(key));
      return kept;
    },
  };
}

/** Of which namespace a record is; one of an earlier release does not say so. */
const ownerOf = ({ metadata: { annotations, resourceVersion } }: Secret): string =>
  annotations[ownerAnnotation] ?? `v${resourceVersion}`;

/** A record without a UID is from an earlier release: it counts only where there are data volumes, which know no other passwords. */
function hasData(key: Key, existing: ReadonlySet<ChildName> = new Set()): boolean {
  return dataClaimNames(placeOf(key).name, maxMembers).some((claim) => existing.has(`PersistentVolumeClaim ${claim}`));
}

function newPasswords(): Passwords {
  return {
    app: randomPassword(),
    superuser: randomPassword(),
    replication: randomPassword(),
    monitor: randomPassword(),
    rest: randomPassword(),
  };
}

/**
 * The passwords that a database already runs with: when the record was lost, with the operator's namespace say, the
 * Secrets beside the Database still have them, and its data files know no others.
 */
async function inUse({ client }: Store, key: Key, ours?: ReadonlySet<ChildName>): Promise<Partial<Passwords>> {
  const { namespace, name } = placeOf(key);
  const read = async (secret: string): Promise<Record<string, string>> => {
    const isKnownMissing = ours !== undefined && !ours.has(`Secret ${secret}`);
    const found = isKnownMissing ? undefined : await client.find(item(resources.secrets, namespace, secret));
    return found === undefined ? {} : mapValues(Secret.parse(found).data, decode);
  };
  const [credentials, system] = await Promise.all([read(credentialsSecretName(name)), read(systemSecretName(name))]);
  const passwords = {
    app: credentials["password"],
    superuser: system[systemSecretKeys.superuser],
    replication: system[systemSecretKeys.replication],
    monitor: system[systemSecretKeys.monitor],
    rest: system[systemSecretKeys.rest],
  };
  return Object.fromEntries(
    Object.entries(passwords).filter(([, password]) => password !== undefined && password !== ""),
  );
}

function mapValues(
  record: Readonly<Record<string, string>> | Passwords,
  map: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]: [string, string]) => [name, map(value)]));
}
