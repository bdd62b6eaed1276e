// Why members are restarted, in words: what a run changed of their pods' template and of the parameters that only a restart
// takes over. Pure.
import { restartParametersAnnotation } from "../../components/naming";
import { isRecord } from "../json";

/** What a member's pod is made from. */
export interface MemberTemplate {
  /** The StatefulSet's pod template, as a run declares it. */
  readonly template: unknown;
  /** Parameters that only a restart takes over; undefined where they were not written down. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

/** How many changes are named. */
const mostNamed = 5;
/** Longest text of a value, and of all of them, in characters: a condition that quotes it has more to say. */
const longestValue = 60;
const longestCause = 400;

/** One line; undefined where nothing differs that a restart would be for. */
export function causeOf(before: MemberTemplate, after: MemberTemplate): string | undefined {
  const changes = differencesIn([], plain(before.template), plain(after.template));
  if (changes.length === 0) return undefined;
  const texts = [...new Set(changes.flatMap((change) => textsOf(change, before.parameters, after.parameters)))];
  const named = cut(texts.slice(0, mostNamed).join(", "), longestCause);
  return texts.length > mostNamed ? `${named} and ${texts.length - mostNamed} more` : named;
}

/** The texts of parameters, cut to what is worth keeping. */
export function shortened(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, cut(value)]));
}

interface Difference {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
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

type Parameters = MemberTemplate["parameters"];

function textsOf({ path, before, after }: Difference, former: Parameters, present: Parameters): string[] {
  if (path.at(-1) === restartParametersAnnotation) return parametersText(former, present);
  if (path.at(-1) === "image" && typeof before === "string" && typeof after === "string")
    return [`image ${imageText(before)} → ${imageText(after)}`];
  return [`${placeOf(path)} ${valueText(before)} → ${valueText(after)}`];
}

/** `spec.containers.postgresql.resources.limits.memory` → `postgresql resources.limits.memory`. */
function placeOf(path: readonly string[]): string {
  const [spec, list, container, ...rest] = path;
  return spec === "spec" && list === "containers" && container !== undefined && rest.length > 0
    ? `${container} ${rest.join(".")}`
    : path.join(".");
}

/** Without registry and directory: what differs is mostly the tag. */
const imageText = (image: string): string => image.slice(image.lastIndexOf("/") + 1);

function valueText(value: unknown): string {
  if (value === undefined) return "(none)";
  return cut(typeof value === "string" ? value : JSON.stringify(value));
}

const cut = (text: string, longest = longestValue): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

function parametersText(former: Parameters, present: Parameters): string[] {
  const unknown = ["parameters that only a restart takes over"];
  if (former === undefined || present === undefined) return unknown;
  const changed = differencesIn([], former, present).map(
    ({ path, before, after }) => `${path.join(".")} ${parameterText(before)} → ${parameterText(after)}`,
  );
  return changed.length > 0 ? changed : unknown;
}

const parameterText = (value: unknown): string => (value === undefined ? "(default)" : valueText(value));
