// The members' template as another release declared it, with what a change of the spec alone changes of it: pure.
import { canonical, isRecord, parseJson } from "../objects/json";

type Fields = Readonly<Record<string, unknown>>;
type Sides<T> = readonly [ours: T, before: T, after: T];

/** Stands for what cannot be told apart from what the other release changes. */
const conflict = Symbol("conflict");

/**
 * `ours` with all that differs between `before` and `after`, which one and the same release declares. Undefined where `ours` says something of
 * its own there: then the change cannot be made without that release.
 */
export function mergedTemplate(...sides: Sides<unknown>): { readonly template: unknown } | undefined {
  const template = merged(sides);
  return template === conflict ? undefined : { template };
}

/** The state of a stack has its keys in another order than what declares them. */
const isSame = (left: unknown, right: unknown): boolean => canonical(left) === canonical(right);

function merged(sides: Sides<unknown>): unknown {
  const [ours, before, after] = sides;
  if (isSame(before, after) || isSame(ours, after)) return ours;
  if (isSame(ours, before)) return after;
  const fields = allOf(sides, (side) => (isRecord(side) ? side : undefined));
  if (fields !== undefined) return mergedFields(fields);
  const named = allOf(sides, namedIn);
  if (named !== undefined) return mapped(mergedFields(named), (items) => Object.values(items));
  const texts = allOf(sides, (side) => fieldsIn(side));
  return texts === undefined ? conflict : mapped(mergedFields(texts), (value) => JSON.stringify(value));
}

function mergedFields([ours, before, after]: Sides<Fields>): Fields | typeof conflict {
  const keys = ordered(Object.keys(ours), Object.keys(after));
  const entries = keys.map((key) => [key, merged([ours[key], before[key], after[key]])] as const);
  if (entries.some(([, value]) => value === conflict)) return conflict;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Of both, in the order of `ours`; what only `after` has stands before the same as there: a variable may use those before it. */
function ordered(ours: readonly string[], after: readonly string[]): string[] {
  const keys = [...ours];
  for (const [index, key] of [...after.entries()].reverse()) {
    if (keys.includes(key)) continue;
    const next = after[index + 1];
    keys.splice(next === undefined ? keys.length : keys.indexOf(next), 0, key);
  }
  return keys;
}

function mapped<T>(found: Fields | typeof conflict, form: (fields: Fields) => T): T | typeof conflict {
  return found === conflict ? conflict : form(found);
}

/** Each side in that form; undefined where one has another. */
function allOf(
  [ours, before, after]: Sides<unknown>,
  form: (side: unknown) => Fields | undefined,
): Sides<Fields> | undefined {
  const [first, second, third] = [form(ours), form(before), form(after)];
  return first && second && third && [first, second, third];
}

/** Lists of named things, such as containers and variables, by those names. */
function namedIn(list: unknown): Fields | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list.flatMap((item: unknown) =>
    isRecord(item) && typeof item["name"] === "string" ? [[item["name"], item] as const] : [],
  );
  // numbers would come first among the keys of an object
  const isTold = items.length === list.length && items.every(([name]) => !/^\d+$/.test(name));
  const fields = Object.fromEntries(items);
  return isTold && Object.keys(fields).length === list.length ? fields : undefined;
}

/** Parameters with which a pod starts are a text. */
function fieldsIn(text: unknown): Fields | undefined {
  const value = typeof text === "string" ? parseJson(text) : undefined;
  return isRecord(value) ? value : undefined;
}
