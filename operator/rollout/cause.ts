// Why members are restarted, in words: what a run changed of their pods' template, the parameters that come with a pod among it. Pure.
import { z } from "zod";
import { startParameters } from "../../components/member";
import { shortened } from "../domain/shortened";
import { parseJson } from "../objects/json";
import { differencesOf, type Difference } from "../objects/template-differences";

/** How many changes are named. */
const maxNamed = 5;
/** Longest text of a value, and of all of them, in characters: a condition that quotes it has more to say. */
const longestValue = 60;
const longestCause = 400;

/** One line, from two templates of the StatefulSet as runs declare them; undefined where nothing differs that a restart would be for. */
export function causeOf(before: unknown, after: unknown): string | undefined {
  const changes = differencesOf(before, after);
  if (changes.length === 0) return undefined;
  // what a person wrote before what follows from it
  const ordered = [...changes.filter((change) => !isOfParameters(change)), ...changes.filter(isOfParameters)];
  const texts = [...new Set(ordered.flatMap(textsOf))];
  const named = shortened(texts.slice(0, maxNamed).join(", "), longestCause);
  return texts.length > maxNamed ? `${named} and ${texts.length - maxNamed} more` : named;
}

const isOfParameters = ({ path }: Difference): boolean => path.at(-1) === startParameters.annotation;

function textsOf(change: Difference): string[] {
  const { path, before, after } = change;
  if (isOfParameters(change)) return parametersText(before, after);
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
  return shortened(typeof value === "string" ? value : JSON.stringify(value), longestValue);
}

function parametersText(before: unknown, after: unknown): string[] {
  const [former, present] = [valuesIn(before), valuesIn(after)];
  if (former === undefined || present === undefined) return ["parameters that take effect only at a restart"];
  return differencesOf(former, present).map(
    ({ path, before: left, after: right }) => `${path.join(".")} ${parameterText(left)} → ${parameterText(right)}`,
  );
}

const Annotation = z.record(z.string(), z.object({ value: z.union([z.string(), z.number()]) }));

/** Parameters by name; undefined where a pod of an earlier operator brings none. */
function valuesIn(annotation: unknown): Record<string, string | number> | undefined {
  const found = Annotation.safeParse(typeof annotation === "string" ? parseJson(annotation) : undefined).data;
  return found && Object.fromEntries(Object.entries(found).map(([name, { value }]) => [name, value]));
}

const parameterText = (value: unknown): string => (value === undefined ? "(default)" : valueText(value));
