// /convert: Databases from one version of the API into another. Any pod that reaches the port may ask, of lists with megabytes: nothing of an object is
// read but what its versions call differently, and whatever else is due comes in between.
import { setImmediate as breath } from "node:timers/promises";
import { convertDatabase, type JsonObject } from "../api/conversion";
import { isRecord } from "../objects/json";
import { elementsOf, membersOf, stringIn, JsonText } from "./json-text";
import { conversionAnswer, ConversionReview, malformed, type Answer, type Converted } from "./review";

/** Of one object, in characters: the API server stores none with more than 1.5 MiB. */
const maxObject = 3 * 1024 ** 2;

/** For how long objects are converted one after the other, in milliseconds. */
const atOnceMs = 20;

/** Answers a ConversionReview. One object that cannot be converted fails the whole: the API server takes all or none. */
export async function answerConversion(text: string): Promise<Answer> {
  const parsed = ConversionReview.safeParse(reviewIn(text));
  if (!parsed.success) return malformed("ConversionReview of apiextensions.k8s.io/v1", parsed.error);
  const { uid, desiredAPIVersion, objects } = parsed.data.request;
  return conversionAnswer(uid, await convertAll(objects.text, desiredAPIVersion));
}

/** The fields of the review that count; undefined where it is none. */
function reviewIn(text: string): unknown {
  try {
    const { request = "{}", ...review } = chosen(text, ["apiVersion", "kind", "request"]);
    const { objects, ...asked } = chosen(request, ["uid", "desiredAPIVersion", "objects"]);
    const list = objects?.startsWith("[") === true ? new JsonText(objects) : undefined;
    return { ...stringsIn(review), request: { ...stringsIn(asked), objects: list } };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Of an object that many members may have, those of these names. */
function chosen(text: string, names: readonly string[]): Partial<Record<string, string>> {
  const found: Partial<Record<string, string>> = {};
  for (const [name, value] of membersOf(text)) if (names.includes(name)) found[name] = value;
  return found;
}

const stringsIn = (texts: Partial<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(texts).map(([name, text = ""]) => [name, JSON.parse(text)]));

async function convertAll(objects: string, apiVersion: string): Promise<Converted> {
  const converted: string[] = [];
  let since = performance.now();
  try {
    for (const text of elementsOf(objects)) {
      const conversion = convertDatabase(objectIn(text), apiVersion);
      if (!conversion.ok) return { ok: false, problem: `object ${converted.length} ${conversion.problem}` };
      converted.push(textOf(conversion.object));
      if (performance.now() - since < atOnceMs) continue;
      await breath();
      since = performance.now();
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, problem: `object ${converted.length} is no JSON: ${error.message}` };
  }
  return { ok: true, objects: converted };
}

/** An object with its members, and those of its spec. */
function objectIn(text: string): unknown {
  if (text.length > maxObject) throw new SyntaxError(`it has more than ${maxObject} characters`);
  if (!text.startsWith("{")) return text;
  return Object.fromEntries(
    [...membersOf(text)].map(([name, value]): [string, unknown] => {
      if (name === "spec" && value.startsWith("{")) return [name, unreadIn(value)];
      const isRead = (name === "apiVersion" || name === "kind") && value.startsWith('"');
      return [name, isRead ? stringIn(value) : new JsonText(value)];
    }),
  );
}

const unreadIn = (text: string): JsonObject =>
  Object.fromEntries([...membersOf(text)].map(([name, value]) => [name, new JsonText(value)]));

function textOf(object: JsonObject): string {
  const members = Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`);
  return `{${members.join(",")}}`;
}

function valueText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  return isRecord(value) ? textOf(value) : JSON.stringify(value);
}
