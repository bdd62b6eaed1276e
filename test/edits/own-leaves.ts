// What the operator declares of an object, by the managed fields of its field manager: what others write beside it is none of it. Pure.
import { z } from "zod";
import { fieldManager } from "../../components/naming";
import { isRecord, parseJson } from "../../operator/objects/json";
import { below, leavesIn, segmentOf, type Leaves } from "./leaves";

const Entry = z.object({
  manager: z.string().default(""),
  operation: z.string().default(""),
  subresource: z.string().default(""),
  fieldsV1: z.unknown().optional(),
});
const Managed = z.object({ metadata: z.object({ managedFields: z.array(Entry).default([]) }) });

/** Undefined where the operator has applied nothing of it. */
export function ownLeavesOf(object: unknown): Leaves | undefined {
  const { managedFields } = Managed.parse(object).metadata;
  const own = managedFields.find(
    ({ manager, operation, subresource }) => manager === fieldManager && operation === "Apply" && subresource === "",
  );
  return own && new Map(leavesOf(own.fieldsV1, object, ""));
}

/** `fields` as the API server keeps them: `f:name` is a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set. */
function leavesOf(fields: unknown, value: unknown, path: string): [string, unknown][] {
  const keys = isRecord(fields) ? Object.keys(fields).filter((key) => key !== ".") : [];
  if (!isRecord(fields) || keys.length === 0) return leavesIn(value, path);
  return keys.flatMap((key) => {
    const [segment, nested] = nestedIn(value, key);
    return leavesOf(fields[key], nested, below(path, segment));
  });
}

function nestedIn(value: unknown, key: string): readonly [string, unknown] {
  const name = key.slice(2);
  if (key.startsWith("f:")) return [name, isRecord(value) ? value[name] : undefined];
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const index = key.startsWith("i:") ? Number(name) : items.findIndex((item) => isMeant(item, parseJson(name)));
  return [segmentOf(items[index], index), items[index]];
}

const isMeant = (item: unknown, by: unknown): boolean =>
  isRecord(by) && isRecord(item) ? Object.entries(by).every(([key, value]) => item[key] === value) : item === by;
