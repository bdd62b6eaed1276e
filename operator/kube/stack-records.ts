// What is remembered of each stack between runs, in a Secret of the operator's namespace: the checkpoint, and notes on it.
import { z } from "zod";
import { Accepted } from "../domain/accepted";
import { driftKinds } from "../domain/children";
import type { Key } from "../domain/key";
import {
  Declared,
  Grown,
  longestHistory,
  OutdatedRecord,
  Revision,
  type StackRecord,
  type StackRecords,
  Whole,
} from "../domain/records";
import { Agreed, Pending, Seen } from "../domain/pending";
import { Restored } from "../domain/restore";
import { TlsRecord } from "../domain/tls";
import { Upgrade } from "../domain/upgrade";
import { stackOf } from "../domain/stack-names";
import { marksText, restore } from "../checkpoint/kept";
import { parseJson } from "../objects/json";
import { isOlder } from "../objects/resource-version";
import { annotation, decode, encode, Secret, secretObject, type SecretBody, type Store } from "./operator-secrets";
import { isApiError } from "./client";
import { collection, item, resources } from "./paths";

const Restoring = z
  .object({
    child: z.string(),
    urn: z.string(),
    kind: z.enum(driftKinds),
    fields: z.array(z.string()),
    by: z.string().optional(),
    size: z.string().exactOptional(),
    uid: z.string().exactOptional(),
  })
  .transform(({ by, ...drift }) => ({ ...drift, by }))
  .array();
const Workload = z.object({ uid: z.string(), generation: z.number() });

/** Annotation of a state's Secret that names its Database, as `namespace/name`. */
const databaseAnnotation = annotation("database");

/** Which Database a state's Secret is of, and the version of the Secret. */
export interface StateSecret {
  readonly key: Key;
  readonly version: string;
}

/** Reads that from the Secret's metadata; undefined for one that names no Database. */
export function stateSecretOf(secret: unknown): StateSecret | undefined {
  const { metadata } = Secret.parse(secret);
  const key = metadata.annotations[databaseAnnotation];
  return key === undefined ? undefined : { key, version: metadata.resourceVersion };
}

export interface RememberedRecords extends StackRecords {
  /** Notified that the Secret is now at `version`, undefined where it is gone; true when this process did not write that. */
  noticed(key: Key, version: string | undefined): boolean;
}

/** Stack records, each read once and then remembered: this process is their only writer, and the fence proves it. */
export function createStackRecords(store: Store): RememberedRecords {
  const { client, namespace } = store;
  // undefined: there is none
  const known = new Map<Key, StackRecord | undefined>();
  const saving = new Set<Key>();
  const pathOf = (key: Key): string => item(resources.secrets, namespace, `state.${stackOf(key)}`);
  const write = async (key: Key, record: StackRecord): Promise<string> => {
    const body = secretObject(namespace, secretOf(key, stackOf(key), record));
    const written =
      record.version === ""
        ? await client.create(collection(resources.secrets, namespace), body)
        : await client.replace(pathOf(key), body);
    return Secret.parse(written).metadata.resourceVersion;
  };
  return {
    async load(key) {
      if (known.has(key)) return known.get(key);
      const found = await client.find(pathOf(key));
      const record = found === undefined ? undefined : recordOf(found, stackOf(key));
      known.set(key, record);
      return record;
    },
    async save(key, record) {
      saving.add(key);
      try {
        const saved = { ...record, version: await write(key, record) };
        known.set(key, saved);
        return saved;
      } catch (error) {
        known.delete(key);
        const isOutdated = isApiError(error, 409) || (isApiError(error, 404) && record.version !== "");
        if (!isOutdated) throw error;
        throw new OutdatedRecord(`another client wrote or removed the state of ${key} meanwhile`, { cause: error });
      } finally {
        saving.delete(key);
      }
    },
    async remove(key) {
      known.delete(key);
      await client.delete(pathOf(key));
    },
    forget(key) {
      known.delete(key);
    },
    noticed(key, version) {
      const record = known.get(key);
      // the watch may be quicker than the answer to our own write, or report one before it
      if (!known.has(key) || saving.has(key) || record?.version === version) return false;
      if (version !== undefined && record !== undefined && isOlder(version, record.version)) return false;
      known.delete(key);
      return true;
    },
  };
}

function secretOf(key: Key, stack: string, record: StackRecord): SecretBody {
  const [latest] = record.history;
  const notes: Record<string, string | undefined> = {
    database: key,
    uid: record.uid,
    digest: record.digest,
    workload: jsonOf(record.workload),
    declared: jsonOf(record.declared),
    grown: jsonOf(record.grown),
    tls: jsonOf(record.tls),
    "final-backup": record.finalBackup,
    restored: jsonOf(record.restored),
    upgrade: jsonOf(record.upgrade),
    plans: record.plans === undefined ? undefined : String(record.plans),
    release: record.release,
    "formed-by": record.formedBy,
    seen: jsonOf(record.seen),
    // for people who look at the Secret
    revision: latest && String(latest.revision),
    summary: latest?.summary,
  };
  const given = Object.entries(notes).flatMap(([note, text]) => (text ? [[annotation(note), text] as const] : []));
  return {
    name: `state.${stack}`,
    record: "state",
    data: dataOf(stack, record),
    annotations: Object.fromEntries(given),
    resourceVersion: record.version,
  };
}

const jsonOf = (part: object | undefined): string | undefined => part && JSON.stringify(part);

function dataOf(
  stack: string,
  { history, accepted, whole, agreed, pending, keptBackups = [], restoring = [], checkpoint }: StackRecord,
): SecretBody["data"] {
  const marks = checkpoint && marksText(checkpoint, stack);
  return {
    history: encode(JSON.stringify(history.slice(0, longestHistory))),
    ...encoded({ accepted, whole, agreed, pending }),
    ...(keptBackups.length > 0 && { keptBackups: encode(JSON.stringify(keptBackups)) }),
    ...(restoring.length > 0 && { restoring: encode(JSON.stringify(restoring)) }),
    ...(checkpoint !== undefined && { checkpoint: encode(checkpoint.packed) }),
    ...(marks !== undefined && { marks: encode(marks) }),
  };
}

/** Those parts that are there. */
const encoded = (parts: Readonly<Record<string, object | undefined>>): SecretBody["data"] =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([part, value]) => (value ? [[part, encode(JSON.stringify(value))] as const] : [])),
  );

function seenIn(text: string | undefined): Pick<StackRecord, "seen"> {
  const seen = readAs(Seen, text);
  return seen === undefined ? {} : { seen };
}

function releasesIn(note: (name: string) => string | undefined): Pick<StackRecord, "release" | "formedBy"> {
  const [release, formedBy] = [note("release"), note("formed-by")];
  return { ...(release !== undefined && { release }), ...(formedBy !== undefined && { formedBy }) };
}

const wholeIn = (whole: Whole | undefined): Pick<StackRecord, "whole"> => (whole === undefined ? {} : { whole });

function recordOf(secret: unknown, stack: string): StackRecord {
  const { metadata, data } = Secret.parse(secret);
  const note = (name: string): string | undefined => metadata.annotations[annotation(name)];
  const noted = <T>(name: string, schema: z.ZodType<T>): T | undefined => readAs(schema, note(name));
  const kept = <T>(part: string, schema: z.ZodType<T>): T | undefined => readAs(schema, decode(data[part] ?? ""));
  const [grown, upgrade, plans] = [noted("grown", Grown), noted("upgrade", Upgrade), noted("plans", z.int())];
  const tls = noted("tls", TlsRecord);
  const [agreed, pending] = [kept("agreed", Agreed), kept("pending", Pending)];
  return {
    checkpoint: checkpointIn(data, stack),
    digest: note("digest"),
    uid: note("uid") ?? "",
    workload: noted("workload", Workload),
    declared: noted("declared", Declared),
    accepted: kept("accepted", Accepted),
    restored: noted("restored", Restored),
    ...(grown !== undefined && { grown }),
    ...(upgrade !== undefined && { upgrade }),
    ...(plans !== undefined && { plans }),
    ...(tls !== undefined && { tls }),
    ...(agreed !== undefined && { agreed }),
    ...(pending !== undefined && { pending }),
    ...releasesIn(note),
    ...wholeIn(kept("whole", Whole)),
    ...seenIn(note("seen")),
    finalBackup: note("final-backup"),
    keptBackups: kept("keptBackups", z.array(z.string())),
    restoring: kept("restoring", Restoring) ?? [],
    history: kept("history", z.array(Revision)) ?? [],
    version: metadata.resourceVersion,
  };
}

/** What a JSON text has of the schema's form; undefined where it has not. */
const readAs = <T>(schema: z.ZodType<T>, text = ""): T | undefined => schema.safeParse(parseJson(text)).data;

function checkpointIn({ checkpoint, marks }: SecretBody["data"], stack: string): StackRecord["checkpoint"] {
  if (checkpoint === undefined) return undefined;
  return restore(Buffer.from(checkpoint, "base64"), marks && decode(marks), stack);
}
