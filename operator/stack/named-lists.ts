// Lists of named items, such as variables and containers: an item that moves, as another comes before it, is the same item.
import { isRecord } from "../objects/json";
import type { FieldChange } from "../domain/runner";

type Named = ReadonlyMap<string, unknown>;

/** The items by name, in their order; undefined for what is no list of items with a name each. */
function namedIn(list: unknown): Named | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list.flatMap((item: unknown) =>
    isRecord(item) && typeof item["name"] === "string" ? [[item["name"], item] as const] : [],
  );
  const named = new Map<string, unknown>(items);
  return named.size === list.length ? named : undefined;
}

/** Both as lists of named items, where one that stays has another place; else undefined: there places are as good as names. */
export function movedIn(before: unknown, after: unknown): readonly [Named, Named] | undefined {
  const [former, latter] = [namedIn(before), namedIn(after)];
  if (former === undefined || latter === undefined) return undefined;
  const places = new Map([...latter.keys()].map((name, place) => [name, place]));
  const isMoved = [...former.keys()].some((name, place) => places.has(name) && places.get(name) !== place);
  return isMoved ? [former, latter] : undefined;
}

/** What became of the items, each under its name. */
export function namedChanges(path: string, [before, after]: readonly [Named, Named]): FieldChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => changesOf(`${path}[${name}]`, before.get(name), after.get(name)));
}

/** Leaf by leaf where both sides have fields. */
function changesOf(path: string, before: unknown, after: unknown): FieldChange[] {
  if (before === undefined) return [{ path, kind: "add", before, after }];
  if (after === undefined) return [{ path, kind: "remove", before, after }];
  const moved = movedIn(before, after);
  if (moved !== undefined) return namedChanges(path, moved);
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changesOf(`${path}${segmentOf(key)}`, before[key], after[key]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, kind: "change", before, after }];
}

/** Of a field within another one. */
export const segmentOf = (part: string): string =>
  /^[A-Za-z0-9_-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
