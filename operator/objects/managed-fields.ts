// Reads metadata.managedFields: which fields of an object are ours, and who holds the others.
// Server-side apply moves a field that another manager changes from our entry to theirs, so our entry alone shows every edit.
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonical, isRecord } from "./json";

/** One entry, as the API server keeps it. */
const Entry = z.object({
  manager: z.string().default(""),
  operation: z.string().default(""),
  subresource: z.string().default(""),
  time: z.string().default(""),
  fieldsV1: z.unknown().optional(),
});
type Entry = z.infer<typeof Entry>;

/** The part of an object that is read. */
const Managed = z.object({ metadata: z.object({ managedFields: z.array(Entry).default([]) }) });

/** What one field manager holds of an object. */
export interface OwnFields {
  /** Digest of the fields and of the time at which they were last applied. */
  readonly digest: string;
  /** Paths such as `spec.replicas` or `spec.ports[port=5432].name`. */
  readonly paths: ReadonlySet<string>;
}

/** What `manager` holds by server-side apply; empty where it holds nothing. */
export function ownFieldsOf(object: unknown, manager: string): OwnFields {
  const own = ownEntriesOf(object, manager);
  return { digest: digestOf(own), paths: new Set(own.flatMap(({ fieldsV1 }) => pathsIn(fieldsV1))) };
}

/** The digest of that alone: of thousands of watched objects nothing else is asked. */
export function ownDigestOf(object: unknown, manager: string): string {
  return digestOf(ownEntriesOf(object, manager));
}

function digestOf(own: readonly Entry[]): string {
  const digest = createHash("sha256");
  for (const { time, fieldsV1 } of own) digest.update(time).update("\0").update(digestOfFields(fieldsV1)).update("\0");
  return digest.digest("base64");
}

/** Databases of one kind have the same fields: these digests are computed once for all of them. */
const knownDigests = new Map<string, string>();
const maxKnownDigests = 2000;

function digestOfFields(fields: unknown): string {
  const text = JSON.stringify(fields ?? null);
  const known = knownDigests.get(text);
  if (known !== undefined) return known;
  const digest = createHash("sha256")
    .update(canonical(fields ?? null))
    .digest("base64");
  if (knownDigests.size >= maxKnownDigests) knownDigests.clear();
  knownDigests.set(text, digest);
  return digest;
}

/** The field manager that now holds one of `paths`, or else the last one to write anything; undefined where there is none. */
export function changerOf(object: unknown, paths: readonly string[], manager: string): string | undefined {
  const others = entriesOf(object)
    .filter((entry) => !isApplied(entry, manager) && entry.subresource !== "status")
    .sort((a, b) => (a.time < b.time ? 1 : -1));
  const holder = others.find(({ fieldsV1 }) => {
    const held = new Set(pathsIn(fieldsV1));
    return paths.some((path) => held.has(path));
  });
  const found = holder ?? others[0];
  return found?.manager === "" ? undefined : found?.manager;
}

/** Whether `manager` has changed all of these fields, and none has since. */
export function isHeldBy(object: unknown, paths: readonly string[], manager: string): boolean {
  const own = entriesOf(object).filter((entry) => entry.manager === manager);
  const held = new Set(own.flatMap(({ fieldsV1 }) => pathsIn(fieldsV1)));
  return paths.every((path) => held.has(path));
}

/** The field manager that wrote the object's spec last; undefined where it is not known. */
export function specWriterOf(object: unknown): string | undefined {
  const writers = entriesOf(object).filter(({ fieldsV1 }) => isRecord(fieldsV1) && "f:spec" in fieldsV1);
  return writers.sort((a, b) => (a.time < b.time ? 1 : -1))[0]?.manager;
}

/** The object with what `manager` holds of it and no other: for one that is kept for long, as the entries of all are often larger than their object. */
export function withFieldsOf(object: unknown, manager: string): unknown {
  if (!isRecord(object)) return object;
  const { metadata } = object;
  if (!isRecord(metadata) || !Array.isArray(metadata["managedFields"])) return object;
  const managedFields = metadata["managedFields"].filter((entry) => isRecord(entry) && entry["manager"] === manager);
  return { ...object, metadata: { ...metadata, managedFields } };
}

function ownEntriesOf(object: unknown, manager: string): readonly Entry[] {
  return entriesOf(object).filter((entry) => isApplied(entry, manager));
}

function entriesOf(object: unknown): readonly Entry[] {
  return Managed.safeParse(object).data?.metadata.managedFields ?? [];
}

function isApplied({ manager, operation, subresource }: Entry, by: string): boolean {
  return manager === by && operation === "Apply" && subresource === "";
}

/** The leaves of a field set, in the form that people write. */
function pathsIn(fields: unknown, prefix = ""): string[] {
  if (!isRecord(fields)) return [];
  return Object.entries(fields).flatMap(([key, nested]) => {
    if (key === ".") return [];
    const path = `${prefix}${segmentOf(key, prefix)}`;
    const deeper = pathsIn(nested, path);
    return deeper.length > 0 ? deeper : [path];
  });
}

/** `f:name` is a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set, `i:…` one by its place. */
function segmentOf(key: string, prefix: string): string {
  const name = key.slice(2);
  if (key.startsWith("f:")) return prefix === "" ? name : `.${name}`;
  return `[${name.replace(/[{}"]/g, "").replaceAll(":", "=")}]`;
}
