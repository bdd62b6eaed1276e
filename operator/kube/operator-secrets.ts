// Secrets of the operator's own namespace: how they are created, read and labelled; and the key of all stacks' secrets.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { operatorName } from "../../contract/platform";
import { keyPrefix } from "../../contract/resources";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

/** Annotations and labels of the operator carry this prefix. */
export const annotation = (name: string): string => `${keyPrefix}/${name}`;

/** Secrets of the operator carry this label; its value says what for. */
const recordLabel = annotation("record");

/** Selects the Secrets of one kind. */
export const recordSelector = (record: SecretBody["record"]): string => `${recordLabel}=${record}`;

/** A Secret, as far as it is read. */
export const Secret = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  data: z.record(z.string(), z.string()).default({}),
});
export type Secret = z.infer<typeof Secret>;

/** Where the Secrets are. */
export interface Store {
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
}

/** What a Secret of the operator is created from. */
export interface SecretBody {
  readonly name: string;
  readonly record: "state" | "credentials" | "former-credentials" | "key" | "certificates";
  readonly data: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly resourceVersion?: string;
}

/** The Secret as the API server takes it. */
export function secretObject(namespace: string, body: SecretBody): unknown {
  const { name, record, data, annotations, resourceVersion } = body;
  const labels = { "app.kubernetes.io/managed-by": operatorName, [recordLabel]: record };
  const metadata = { name, namespace, labels, annotations, ...(resourceVersion ? { resourceVersion } : {}) };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
}

/** To and from the encoding of Secret values. */
export const encode = (text: string | Buffer): string => Buffer.from(text).toString("base64");
export const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** Its data, in clear. */
export const decoded = ({ data }: Pick<Secret, "data">): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));

/** How a Secret that exists may count as missing. */
export interface Replacement {
  readonly counts: (found: Secret) => boolean;
  /** Done with one that does not count, before it is replaced. */
  readonly before: (found: Secret) => Promise<unknown>;
  /** Most likely there is none: it is created at once, and looked for where one is there after all. Default: it is looked for. */
  readonly isNew?: boolean;
}

const everyCounts: Replacement = { counts: () => true, before: () => Promise.resolve() };

/**
 * Data of the Secret `name`, which is created where it is missing; of two writers one wins and both get the winner's. One that does not
 * count, by `replacement`, is replaced; rejects with 409 where another client wrote it meanwhile.
 */
export async function ensureSecret(
  store: Store,
  name: string,
  make: () => Promise<Omit<SecretBody, "name">>,
  replacement: Replacement = everyCounts,
): Promise<Readonly<Record<string, string>>> {
  const created = replacement.isNew === true ? await createSecret(store, { name, ...(await make()) }) : undefined;
  return created ?? keptOrMade(store, name, make, replacement);
}

async function keptOrMade(
  store: Store,
  name: string,
  make: () => Promise<Omit<SecretBody, "name">>,
  { counts, before }: Replacement,
): Promise<Readonly<Record<string, string>>> {
  const { client, namespace } = store;
  const path = item(resources.secrets, namespace, name);
  const object = await client.find(path);
  const found = object === undefined ? undefined : Secret.parse(object);
  if (found !== undefined && counts(found)) return found.data;
  if (found !== undefined) await before(found);
  const body = { name, ...(await make()) };
  if (found !== undefined) {
    const { resourceVersion } = found.metadata;
    return Secret.parse(await client.replace(path, secretObject(namespace, { ...body, resourceVersion }))).data;
  }
  return (await createSecret(store, body)) ?? Secret.parse(await client.get(path)).data;
}

/** Undefined where there is one of that name. */
async function createSecret(
  { client, namespace }: Store,
  body: SecretBody,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const made = await client.create(collection(resources.secrets, namespace), secretObject(namespace, body));
    return Secret.parse(made).data;
  } catch (error) {
    if (isApiError(error, 404)) {
      throw new Error(`there is no namespace ${namespace}: run \`pulumi up\` or \`make install\` first`, {
        cause: error,
      });
    }
    if (!isApiError(error, 409)) throw error;
    return undefined;
  }
}

/** The passphrase from which the keys of all stacks' secrets are derived: 32 random bytes, generated once. */
export async function ensureStateKey(store: Store): Promise<string> {
  const kept = await ensureSecret(store, "database-operator-state-key", () =>
    Promise.resolve({ record: "key", data: { passphrase: encode(randomBytes(32).toString("base64")) } }),
  );
  const passphrase = kept["passphrase"];
  if (passphrase === undefined) {
    throw new Error(
      `Secret ${store.namespace}/database-operator-state-key has no key "passphrase": restore it from a backup`,
    );
  }
  return decode(passphrase);
}
