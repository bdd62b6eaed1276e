// What outlives a run, as Secrets of the operator's namespace: each stack's state, each Database's passwords, and the key.
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import type { Credentials, Key, Passwords, StackRecord, StackRecords } from "../ports";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

const annotation = (name: string): string => `database.example.com/${name}`;

/** Secrets of the operator carry this label; its value says what for. */
const recordLabel = annotation("record");

const Secret = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  data: z.record(z.string(), z.string()).default({}),
});

const compress = promisify(gzip);
const decompress = promisify(gunzip);

interface Store {
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
}

interface SecretBody {
  readonly name: string;
  readonly record: "state" | "credentials" | "key";
  readonly data: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly resourceVersion?: string;
}

function secretObject(namespace: string, body: SecretBody): unknown {
  const { name, record, data, annotations, resourceVersion } = body;
  const labels = { "app.kubernetes.io/managed-by": "database-operator", [recordLabel]: record };
  const metadata = { name, namespace, labels, annotations, ...(resourceVersion ? { resourceVersion } : {}) };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
}

const encode = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** Reads the Secret `name`, or makes it with `data`; of two makers one wins and both get the winner's. */
async function ensureSecret({ client, namespace }: Store, body: SecretBody): Promise<Readonly<Record<string, string>>> {
  const path = item(resources.secrets, namespace, body.name);
  const found = await client.find(path);
  if (found !== undefined) return Secret.parse(found).data;
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
    return Secret.parse(await client.get(path)).data;
  }
}

/** The passphrase from which the keys of all stacks' secrets are derived: 32 random bytes, made once. */
export async function ensureStateKey(store: Store): Promise<string> {
  const data = { passphrase: encode(randomBytes(32).toString("base64")) };
  const kept = await ensureSecret(store, { name: "database-operator-state-key", record: "key", data });
  const passphrase = kept["passphrase"];
  if (passphrase === undefined) {
    throw new Error(
      `Secret ${store.namespace}/database-operator-state-key has no key "passphrase": restore it from a backup`,
    );
  }
  return decode(passphrase);
}

const passwordNames = ["app", "superuser", "replication", "monitor", "rest"] as const;
const StoredPasswords = z.object(
  Object.fromEntries(passwordNames.map((name) => [name, z.string().min(1)])) as Record<keyof Passwords, z.ZodString>,
);

/** 32 characters of the URL-safe alphabet: 192 random bits, and nothing that a URI or shell would have to quote. */
const randomPassword = (): string => randomBytes(24).toString("base64url");

export function createCredentials(store: Store, nameOf: (key: Key) => string): Credentials {
  return {
    async ensure(key) {
      const data = Object.fromEntries(passwordNames.map((name) => [name, encode(randomPassword())]));
      const kept = await ensureSecret(store, { name: `credentials.${nameOf(key)}`, record: "credentials", data });
      return StoredPasswords.parse(
        Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, decode(value)])),
      );
    },
    async remove(key) {
      await store.client.delete(item(resources.secrets, store.namespace, `credentials.${nameOf(key)}`));
    },
  };
}

/** Stack records, each read once and then remembered: this process is their only writer, and the fence proves it. */
export function createStackRecords(store: Store, nameOf: (key: Key) => string): StackRecords {
  const { client, namespace } = store;
  const known = new Map<Key, StackRecord>();
  const pathOf = (key: Key): string => item(resources.secrets, namespace, `state.${nameOf(key)}`);
  return {
    async load(key) {
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      const found = await client.find(pathOf(key));
      if (found === undefined) return undefined;
      const record = await recordOf(found);
      known.set(key, record);
      return record;
    },
    async save(key, record) {
      const body = secretObject(namespace, await secretOf(`state.${nameOf(key)}`, record));
      const written =
        record.version === ""
          ? await client.create(collection(resources.secrets, namespace), body)
          : await client.replace(pathOf(key), body).catch((error: unknown) => {
              known.delete(key);
              throw error;
            });
      const saved = { ...record, version: Secret.parse(written).metadata.resourceVersion };
      known.set(key, saved);
      return saved;
    },
    async remove(key) {
      await client.delete(pathOf(key));
      known.delete(key);
    },
  };
}

async function secretOf(name: string, record: StackRecord): Promise<SecretBody> {
  const annotations = {
    [annotation("uid")]: record.uid,
    [annotation("revision")]: String(record.revision),
    [annotation("summary")]: record.summary,
    [annotation("changed-at")]: record.changedAt,
    [annotation("workload-generation")]: String(record.workloadGeneration),
    [annotation("server-version")]: record.serverVersion,
    ...(record.digest === undefined ? {} : { [annotation("digest")]: record.digest }),
  };
  const data: Record<string, string> =
    record.checkpoint === undefined ? {} : { checkpoint: encode(await compress(record.checkpoint)) };
  return { name, record: "state", data, annotations, resourceVersion: record.version };
}

async function recordOf(secret: unknown): Promise<StackRecord> {
  const { metadata, data } = Secret.parse(secret);
  const note = (name: string): string => metadata.annotations[annotation(name)] ?? "";
  const stored = data["checkpoint"];
  return {
    checkpoint: stored === undefined ? undefined : await expand(stored),
    digest: metadata.annotations[annotation("digest")],
    uid: note("uid"),
    revision: Number.parseInt(note("revision"), 10) || 0,
    summary: note("summary"),
    changedAt: note("changed-at"),
    serverVersion: note("server-version"),
    workloadGeneration: Number.parseInt(note("workload-generation"), 10) || 0,
    version: metadata.resourceVersion,
  };
}

/** What cannot be expanded is kept as an empty checkpoint, which the runner reports as corrupt. */
async function expand(stored: string): Promise<string> {
  return decompress(Buffer.from(stored, "base64")).then(
    (text) => text.toString("utf8"),
    () => "",
  );
}
