// What is remembered of each stack between runs, in a Secret of the operator's namespace: the checkpoint, and notes on it.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import { Engine } from "../api/spec";
import { longestHistory, type Key, type StackRecord, type StackRecords } from "../ports";
import { parseJson } from "../json";
import { isOlder } from "../resource-version";
import { annotation, decode, encode, Secret, secretObject, type SecretBody, type Store } from "./operator-secrets";
import { collection, item, resources } from "./paths";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const Declared = z.object({
  engine: Engine,
  version: z.string(),
  storage: z.string(),
  storageClass: z.string().optional(),
  backupSize: z.string().optional(),
  backupStorageClass: z.string().optional(),
});
const Revision = z.object({
  revision: z.number(),
  at: z.string(),
  seconds: z.number(),
  digest: z.string(),
  summary: z.string(),
  by: z.string(),
  putBack: z.array(z.string()).optional(),
});
const Workload = z.object({ uid: z.string(), generation: z.number() });

/** Annotation of a state's Secret that names its Database, as `namespace/name`. */
const databaseAnnotation = annotation("database");
const Named = z.object({
  metadata: z.object({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
});

/** Which Database a state's Secret is of, and the version of the Secret. */
export interface StateSecret {
  readonly key: Key;
  readonly version: string;
}

/** Reads that from the Secret's metadata; undefined for one that names no Database. */
export function stateSecretOf(secret: unknown): StateSecret | undefined {
  const { metadata } = Named.parse(secret);
  const key = metadata.annotations[databaseAnnotation];
  return key === undefined ? undefined : { key, version: metadata.resourceVersion };
}

export interface RememberedRecords extends StackRecords {
  /** Told that the Secret is now at `version`, undefined where it is gone; true when this process did not write that. */
  noticed(key: Key, version: string | undefined): boolean;
}

/** Stack records, each read once and then remembered: this process is their only writer, and the fence proves it. */
export function createStackRecords(store: Store, nameOf: (key: Key) => string): RememberedRecords {
  const { client, namespace } = store;
  const known = new Map<Key, StackRecord>();
  const saving = new Set<Key>();
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
      const body = secretObject(namespace, await secretOf(key, `state.${nameOf(key)}`, record));
      saving.add(key);
      try {
        const written =
          record.version === ""
            ? await client.create(collection(resources.secrets, namespace), body)
            : await client.replace(pathOf(key), body);
        const saved = { ...record, version: Secret.parse(written).metadata.resourceVersion };
        known.set(key, saved);
        return saved;
      } catch (error) {
        known.delete(key);
        throw error;
      } finally {
        saving.delete(key);
      }
    },
    async remove(key) {
      known.delete(key);
      await client.delete(pathOf(key));
    },
    noticed(key, version) {
      const record = known.get(key);
      // the watch may be quicker than the answer to our own write, or tell of one before it
      if (record === undefined || saving.has(key) || record.version === version) return false;
      if (version !== undefined && isOlder(version, record.version)) return false;
      known.delete(key);
      return true;
    },
  };
}

async function secretOf(key: Key, name: string, record: StackRecord): Promise<SecretBody> {
  const [latest] = record.history;
  const notes: Record<string, string | undefined> = {
    database: key,
    uid: record.uid,
    digest: record.digest,
    workload: record.workload && JSON.stringify(record.workload),
    declared: record.declared && JSON.stringify(record.declared),
    "final-backup": record.finalBackup,
    // for people who look at the Secret
    revision: latest && String(latest.revision),
    summary: latest?.summary,
  };
  const given = Object.entries(notes).flatMap(([note, text]) => (text ? [[annotation(note), text] as const] : []));
  return {
    name,
    record: "state",
    data: {
      history: encode(JSON.stringify(record.history.slice(0, longestHistory))),
      ...(record.checkpoint !== undefined && { checkpoint: encode(await compress(record.checkpoint)) }),
    },
    annotations: Object.fromEntries(given),
    resourceVersion: record.version,
  };
}

async function recordOf(secret: unknown): Promise<StackRecord> {
  const { metadata, data } = Secret.parse(secret);
  const note = (name: string): string | undefined => metadata.annotations[annotation(name)];
  const stored = data["checkpoint"];
  return {
    checkpoint: stored === undefined ? undefined : await expand(stored),
    digest: note("digest"),
    uid: note("uid") ?? "",
    workload: Workload.safeParse(parseJson(note("workload") ?? "")).data,
    declared: Declared.safeParse(parseJson(note("declared") ?? "")).data,
    finalBackup: note("final-backup"),
    history: z.array(Revision).safeParse(parseJson(decode(data["history"] ?? ""))).data ?? [],
    version: metadata.resourceVersion,
  };
}

/** What cannot be expanded is kept as an empty checkpoint, which counts as unreadable. */
async function expand(stored: string): Promise<string> {
  return decompress(Buffer.from(stored, "base64")).then(
    (text) => text.toString("utf8"),
    () => "",
  );
}
