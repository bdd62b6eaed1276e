// From what a field manager holds of an object to edits of it by another client: one for each field, as JSON patches.
import { z } from "zod";

/** An operation of a JSON patch (RFC 6902). */
export interface Edit {
  readonly op: "replace";
  readonly path: string;
  readonly value: unknown;
}

const Entry = z.object({ manager: z.string(), operation: z.string(), fieldsV1: z.unknown().optional() });
const Managed = z.object({ metadata: z.object({ managedFields: z.array(Entry).default([]) }) });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An edit for every leaf that `manager` applied: another text, another number, the opposite. What identifies an item of
 * a list is left out: changed, it would be the removal of one item and the addition of another, which is not ours.
 */
export function editsOf(object: unknown, manager: string): Edit[] {
  const entries = Managed.parse(object).metadata.managedFields;
  const applied = entries.filter((entry) => entry.manager === manager && entry.operation === "Apply");
  return applied.flatMap(({ fieldsV1 }) => walk(fieldsV1, object, ""));
}

/** Follows the field set through the value; a leaf of the set is atomic, and its first scalar is what is edited. */
function walk(fields: unknown, value: unknown, pointer: string): Edit[] {
  const nested = isRecord(fields) ? Object.entries(fields).filter(([key]) => key !== ".") : [];
  if (nested.length === 0) return editOf(value, pointer);
  return nested.flatMap(([key, deeper]) => {
    const step = stepInto(value, key);
    const rest = key.startsWith("k:") ? without(deeper, keysOf(key)) : deeper;
    return step === undefined ? [] : walk(rest, step.value, `${pointer}/${escaped(step.name)}`);
  });
}

/** The fields by which a step `k:{…}` finds its item. */
const keysOf = (step: string): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(step.slice(2)));

function without(fields: unknown, keys: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fields) || Object.keys(fields).length === 0) return fields;
  const rest = Object.entries(fields).filter(([name]) => name !== "." && !(name.slice(2) in keys));
  // an item of which only the keys are ours has nothing to edit
  return rest.length > 0 ? Object.fromEntries(rest) : { "f:": {} };
}

interface Step {
  readonly name: string;
  readonly value: unknown;
}

/** `f:name` leads to a field, `k:{…}` to the list's item with these keys; what is in a set is no field of its own. */
function stepInto(value: unknown, key: string): Step | undefined {
  if (key.startsWith("f:") && isRecord(value)) return { name: key.slice(2), value: value[key.slice(2)] };
  if (!key.startsWith("k:") || !Array.isArray(value)) return undefined;
  const keys = keysOf(key);
  const index = value.findIndex((item) => isRecord(item) && Object.entries(keys).every(([k, v]) => item[k] === v));
  return index < 0 ? undefined : { name: String(index), value: value[index] as unknown };
}

function editOf(value: unknown, pointer: string): Edit[] {
  const edited = differentFrom(value);
  if (edited !== undefined) return [{ op: "replace", path: pointer, value: edited }];
  const inside: [string, unknown][] = isRecord(value)
    ? Object.entries(value)
    : Array.isArray(value)
      ? [...value.entries()].map(([i, item]: [number, unknown]) => [String(i), item])
      : [];
  for (const [name, item] of inside) {
    const found = editOf(item, `${pointer}/${escaped(name)}`);
    if (found.length > 0) return found;
  }
  return [];
}

/** A quantity stays one, base64 stays base64, and so on: the edit must have a chance to be accepted. */
function differentFrom(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return undefined;
  const quantity = /^(\d+)([a-zA-Z]*)$/.exec(value);
  return quantity ? `${Number(quantity[1]) + 1}${quantity[2] ?? ""}` : `${value.slice(0, -4)}edit`;
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** The value at a JSON pointer; undefined where there is none. */
export function valueAt(object: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, name) => {
      if (Array.isArray(value)) return value[Number(name)] as unknown;
      return isRecord(value) ? value[name] : undefined;
    }, object);
}
