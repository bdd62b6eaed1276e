// What is remembered of each stack between runs, in a Secret of the operator's namespace: the checkpoint, and notes on it.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { AppliedWorkload, Key, StackRecord, StackRecords } from "../ports";
import { annotation, encode, Secret, secretObject, type SecretBody, type Store } from "./operator-secrets";
import { collection, item, resources } from "./paths";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

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
    ...(record.workload === undefined
      ? {}
      : { [annotation("workload")]: `${record.workload.uid}/${record.workload.generation}` }),
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
    workload: workloadOf(note("workload")),
    version: metadata.resourceVersion,
  };
}

function workloadOf(note: string): AppliedWorkload | undefined {
  const [uid = "", generation] = note.split("/");
  return generation === undefined ? undefined : { uid, generation: Number(generation) };
}

/** What cannot be expanded is kept as an empty checkpoint, which the runner reports as corrupt. */
async function expand(stored: string): Promise<string> {
  return decompress(Buffer.from(stored, "base64")).then(
    (text) => text.toString("utf8"),
    () => "",
  );
}
