// Values taken apart into leaves, so that what a preview names and what the cluster holds can be laid side by side. Pure.
import { valueOf } from "../../operator/api/quantity";
import { canonical, isRecord, parseJson } from "../../operator/objects/json";

/** Values by path, such as `spec.template.spec.containers.postgresql.image`: items of lists by their names, where they have some. */
export type Leaves = ReadonlyMap<string, unknown>;

/** A leaf that is another one afterwards; undefined where there is none. */
export interface LeafChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The leaves of a value: of JSON in a string, too, as previews take it apart. */
export function leavesIn(value: unknown, path: string): [string, unknown][] {
  if (value === undefined) return [];
  const branches = typeof value === "string" ? parseJson(value) : value;
  const entries = entriesOf(branches);
  if (entries === undefined) return [[path, value]];
  if (entries.length === 0) return [[path, branches]];
  return entries.flatMap(([key, nested]) => leavesIn(nested, below(path, key)));
}

function entriesOf(value: unknown): (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [segmentOf(item, index), item] as const);
  return isRecord(value) ? Object.entries(value) : undefined;
}

/** Of an item of a list. */
export const segmentOf = (item: unknown, index: number): string =>
  isRecord(item) && typeof item["name"] === "string" ? item["name"] : String(index);

export const below = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** By path. */
export function changesBetween(before: Leaves, after: Leaves): LeafChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes = paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((change) => !isSame(change.path, change.before, change.after));
  return changes.filter((change) => !isEmptied(change, changes));
}

/** What is empty once all that was in it is gone, or was before anything came, is told with that. */
function isEmptied({ path, before, after }: LeafChange, changes: readonly LeafChange[]): boolean {
  const isEmpty = (value: unknown): boolean => value === undefined || ["{}", "[]"].includes(canonical(value));
  return isEmpty(before) && isEmpty(after) && changes.some((other) => other.path.startsWith(`${path}.`));
}

/** The API server writes quantities in a form of its own. */
export function isSame(path: string, left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (canonical(left) === canonical(right)) return true;
  const isSize = /\.(requests|limits)\./.test(path) && typeof left === "string" && typeof right === "string";
  return isSize && valueOf(left) === valueOf(right);
}
