// What differs between two templates of the members' pods: pure.
import { isRecord } from "./json";

/** A leaf in which two templates differ; elements of lists that have names go by those. */
export interface Difference {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Every leaf in which two templates, or parts of them, differ. */
export const differencesOf = (before: unknown, after: unknown): Difference[] =>
  differencesIn([], plain(before), plain(after));

/** What is at a path of a template, undefined where there is nothing; elements of lists that have names go by those. */
export function partOf(template: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isBranch(part) ? valueAt(part, key) : undefined), plain(template));
}

/** Lists of named things, such as containers, by those names: a place in a list says nothing to people. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value.map(plain);
    const names = elements.map((element) => (isRecord(element) ? element["name"] : undefined));
    if (!names.every((name) => typeof name === "string")) return elements;
    return Object.fromEntries(names.map((name, index) => [name, elements[index]]));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, plain(nested)]));
}

function differencesIn(path: readonly string[], before: unknown, after: unknown): Difference[] {
  if (!isBranch(before) || !isBranch(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key) => differencesIn([...path, key], valueAt(before, key), valueAt(after, key)));
}

const isBranch = (value: unknown): value is object => isRecord(value) || Array.isArray(value);

const valueAt = (branch: object, key: string): unknown =>
  Object.hasOwn(branch, key) ? (Reflect.get(branch, key) as unknown) : undefined;
