// Sets of transactions as MySQL writes them: "uuid:1-5:7,uuid:tag:1-3".

/** Ranges of transaction numbers, both ends included, sorted and disjoint. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** A set of transactions: by source (a UUID, with its tag where it has one), the numbers from it. */
export type GtidSet = ReadonlyMap<string, Ranges>;

/** The set without any transaction. */
export const noTransactions: GtidSet = new Map();

/** Reads a set. Throws an Error where the text is not one. */
export function parseGtidSet(text: string): GtidSet {
  const ranges = new Map<string, [number, number][]>();
  for (const part of text.split(",").map((item) => item.trim().toLowerCase())) {
    if (part !== "") addSource(ranges, part);
  }
  return new Map([...ranges].map(([source, found]) => [source, merged(found)]));
}

function addSource(ranges: Map<string, [number, number][]>, part: string): void {
  const [uuid = "", ...rest] = part.split(":").map((item) => item.trim());
  if (!/^[0-9a-f-]{36}$/.test(uuid) || rest.length === 0) throw new Error(`"${part}" is not a set of transactions`);
  let source = uuid;
  for (const item of rest) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(item) ?? [];
    // anything but a range is the tag of all ranges up to the next tag
    if (from === undefined) {
      source = tagged(uuid, item);
      continue;
    }
    const known = ranges.get(source);
    const range: [number, number] = [Number(from), Number(to ?? from)];
    if (known === undefined) ranges.set(source, [range]);
    else known.push(range);
  }
}

function tagged(uuid: string, tag: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(tag)) throw new Error(`"${tag}" is not a tag of transactions`);
  return `${uuid}:${tag}`;
}

/** Ranges in any order, as a set has them. */
export function merged(ranges: readonly (readonly [number, number])[]): Ranges {
  const result: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** All transactions of both sets. */
export function union(left: GtidSet, right: GtidSet): GtidSet {
  const sources = new Set([...left.keys(), ...right.keys()]);
  return new Map([...sources].map((key) => [key, merged([...(left.get(key) ?? []), ...(right.get(key) ?? [])])]));
}

/** Whether every transaction of `inner` is in `outer`. */
export function contains(outer: GtidSet, inner: GtidSet): boolean {
  return [...inner].every(([source, ranges]) => {
    const known = outer.get(source) ?? [];
    return ranges.every(([from, to]) => known.some(([start, end]) => start <= from && to <= end));
  });
}

/** Whether a transaction is in both. */
export const intersects = (one: GtidSet, other: GtidSet): boolean =>
  [...one].some(([source, ranges]) =>
    (other.get(source) ?? []).some(([from, to]) => ranges.some(([start, end]) => start <= to && from <= end)),
  );

/** The transactions of `left` that are not in `right`. */
export function without(left: GtidSet, right: GtidSet): GtidSet {
  const rest = new Map<string, Ranges>();
  for (const [source, ranges] of left) {
    const found = ranges.flatMap((range) => outside(range, right.get(source) ?? []));
    if (found.length > 0) rest.set(source, found);
  }
  return rest;
}

/** What of a range is in none of `known`, which is sorted. */
function outside([from, to]: Ranges[number], known: Ranges): [number, number][] {
  const rest: [number, number][] = [];
  let next = from;
  for (const [start, end] of known) {
    if (end < next || start > to) continue;
    if (start > next) rest.push([next, start - 1]);
    next = end + 1;
  }
  if (next <= to) rest.push([next, to]);
  return rest;
}

/** Those of one UUID, whatever their tags. */
export const ofSource = (set: GtidSet, uuid: string): GtidSet =>
  new Map([...set].filter(([source]) => source.split(":")[0] === uuid.toLowerCase()));

/** Whether a transaction is of that UUID, whatever its tag. */
export const isOf = (gtid: string, uuid: string): boolean => gtid.toLowerCase().startsWith(`${uuid.toLowerCase()}:`);

/** Those of all other UUIDs. */
export const ofOthers = (set: GtidSet, ...uuids: readonly string[]): GtidSet => {
  const left = new Set(uuids.map((uuid) => uuid.toLowerCase()));
  return new Map([...set].filter(([source]) => !left.has(source.split(":")[0] ?? "")));
};

/** As MySQL reads it; empty for none. */
export const gtidText = (set: GtidSet): string =>
  [...set].map(([source, ranges]) => [source, ...ranges.map(rangeText)].join(":")).join(",");

const rangeText = ([from, to]: Ranges[number]): string => (from === to ? String(from) : `${from}-${to}`);
