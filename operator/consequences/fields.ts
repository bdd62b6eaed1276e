// Differences between two values, leaf by leaf, with JSON in strings taken apart.
import { parseJson } from "../objects/json";
import type { FieldChange } from "../domain/runner";

/** Every leaf in which `after` differs from `before`, sorted by path. */
export function differencesIn(path: string, before: unknown, after: unknown): FieldChange[] {
  if (before === after) return [];
  if (before === undefined) return [{ path, kind: "add", before, after }];
  if (after === undefined) return [{ path, kind: "remove", before, after }];
  const [left, right] = [branchesOf(before), branchesOf(after)];
  if (left === undefined || right === undefined || Array.isArray(left) !== Array.isArray(right)) {
    return [{ path, kind: "change", before, after }];
  }
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .flatMap((key) => differencesIn(joined(path, key, Array.isArray(left)), valueOf(left, key), valueOf(right, key)));
}

/** The change of one field, taken apart where both sides have fields of their own. */
export function expanded(field: FieldChange): FieldChange[] {
  return field.kind === "change" ? differencesIn(field.path, field.before, field.after) : [field];
}

type Branches = readonly unknown[] | Readonly<Record<string, unknown>>;

/** What is below a value: of a string too, where it is JSON. */
function branchesOf(value: unknown): Branches | undefined {
  const below = typeof value === "string" ? parseJson(value) : value;
  return isBranches(below) ? below : undefined;
}

function isBranches(value: unknown): value is Branches {
  return typeof value === "object" && value !== null;
}

function valueOf(branches: Branches, key: string): unknown {
  return Object.hasOwn(branches, key) ? (Reflect.get(branches, key) as unknown) : undefined;
}

function joined(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
