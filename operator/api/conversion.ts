// Converts Databases between the versions of the API: nothing is added, dropped or judged, so that any object comes back as it was.
import { apiVersionOf, BETA_NAMES, VERSIONS, type Version } from "./versions";

/** An object as JSON has it. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type Conversion =
  { readonly ok: true; readonly object: JsonObject } | { readonly ok: false; readonly problem: string };

/**
 * `object` in the version that `apiVersion` names. Metadata and status are handed on as they are: the API server takes no
 * change of metadata but of labels and annotations, and renames what is in managedFields itself. The spec may be invalid,
 * or missing: the API server converts objects that it has not checked, or not whole.
 */
export function convertDatabase(object: unknown, apiVersion: string): Conversion {
  if (!isObject(object)) return { ok: false, problem: "is not an object" };
  const from = versionOf(object["apiVersion"]);
  if (object["kind"] !== "Database" || from === undefined) {
    return { ok: false, problem: `is ${described(object)}: only ${KNOWN} can be converted` };
  }
  const to = versionOf(apiVersion);
  if (to === undefined) return { ok: false, problem: `cannot become ${apiVersion}: only ${KNOWN} can be asked for` };
  if (from === to) return { ok: true, object };
  const converted = Object.entries(object).map(([name, value]): [string, unknown] => {
    if (name === "apiVersion") return [name, apiVersion];
    return [name, name === "spec" && isObject(value) ? swapped(value) : value];
  });
  return { ok: true, object: Object.fromEntries(converted) };
}

/**
 * Renames the fields that are called differently, and in turn those that have the other version's names already: they
 * are unknown fields, and would be lost if one took the place of the other.
 */
function swapped(spec: JsonObject): JsonObject {
  const names = Object.keys(spec);
  if (!names.some((name) => OTHER_NAMES.has(name))) return spec;
  return Object.fromEntries(names.map((name) => [OTHER_NAMES.get(name) ?? name, spec[name]]));
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(BETA_NAMES).flatMap(([stored, beta]) => [
    [stored, beta],
    [beta, stored],
  ]),
);

const KNOWN = `Databases of ${VERSIONS.map(apiVersionOf).join(" and ")}`;

const versionOf = (apiVersion: unknown): Version | undefined =>
  VERSIONS.find((version) => apiVersionOf(version) === apiVersion);

const described = ({ apiVersion, kind }: JsonObject): string =>
  `${shown(kind, "an object without a kind")} of ${shown(apiVersion, "no version")}`;

const shown = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
