// Bad inputs for every field of the schema: found by walking it, so that a new field is covered on the day it is added.
import { engineNames } from "../../contract/engines";
import { namePattern } from "../../contract/limits";
import { RULES_KEY } from "../../operator/api/rules";
import type { Schema } from "../../operator/api/schema";
import {
  accepted,
  baseOf,
  oneOfSeveral,
  refused,
  refusedByServerAlone,
  withValue,
  type Door,
  type Entry,
  type Keys,
} from "./entry";
import { hostileStrings, isOneLine, words } from "./strings";

/** One field of the spec, or the values of a map. */
export interface Node {
  readonly keys: Keys;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The key that stands for every key of a map. */
const anyKey: Readonly<Record<string, string>> = {
  "spec.config": "log_line_prefix",
  "spec.monitoring.labels": "release",
  "spec.placement.nodeSelector": "disk",
  ...Object.fromEntries(
    ["podMetadata", "services.readWrite", "services.readOnly", "services.any"].flatMap((part) => [
      [`spec.${part}.labels`, "team"],
      [`spec.${part}.annotations`, "note"],
    ]),
  ),
};

const carriers = ["podMetadata", "services.readWrite", "services.readOnly", "services.any"];
const carried = (field: string): string[] => carriers.map((part) => `spec.${part}.${field}`);
const ofExpressions = ["required", "preferred"].map((how) => {
  const terms = how === "required" ? ".nodeSelectorTerms[0]" : "[0].preference";
  return `spec.placement.nodeAffinity.${how}DuringSchedulingIgnoredDuringExecution${terms}.matchExpressions[0]`;
});

/** Every field below the spec, and the spec itself. */
export function nodesOf(schema: Schema, keys: Keys = ["spec"], required = true): Node[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    nodesOf(child, [...keys, name], schema.required?.includes(name) ?? false),
  );
  const values = schema.additionalProperties
    ? nodesOf(schema.additionalProperties, [...keys, anyKey[pathOf(keys)] ?? "key"], false)
    : [];
  // of a list, its first item
  const items = Object.entries(schema.items?.properties ?? {}).flatMap(([name, child]) =>
    nodesOf(child, [...keys, "0", name], schema.items?.required?.includes(name) ?? false),
  );
  return [{ keys, schema, required }, ...properties, ...values, ...items];
}

/** As the API server writes it. */
export const pathOf = (keys: Keys): string => keys.join(".").replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");

/** Fields that take any plain word. */
const takesWords = new Set([
  "spec.storageClass",
  "spec.config.log_line_prefix",
  "spec.configFrom.name",
  "spec.backup.destination.volume.storageClass",
  "spec.backup.destination.s3.bucket",
  "spec.backup.destination.s3.prefix",
  "spec.backup.destination.s3.region",
  "spec.backup.destination.s3.credentials.name",
  "spec.backup.destination.s3.ca.name",
  "spec.backup.encryption.secret.name",
  "spec.backup.verify.queries[0].name",
  "spec.restore.backup.name",
  "spec.restore.s3.bucket",
  "spec.restore.s3.prefix",
  "spec.restore.s3.region",
  "spec.restore.s3.credentials.name",
  "spec.restore.s3.ca.name",
  "spec.restore.s3.encryption.secret.name",
  "spec.restore.volume.claim.name",
  "spec.initFrom.host",
  "spec.initFrom.credentials.name",
  "spec.initFrom.tls.ca.name",
  "spec.monitoring.labels.release",
  "spec.placement.nodeSelector.disk",
  "spec.placement.tolerations[0].key",
  "spec.placement.tolerations[0].value",
  ...ofExpressions.map((path) => `${path}.key`),
  "spec.placement.antiAffinity.topologyKey",
  "spec.placement.priorityClassName",
  "spec.imagePullSecrets[0].name",
  ...carried("labels.team"),
]);
/** The one field that takes the name of a Database. */
const takesNames = "spec.restore.from.name";
/** The one field that takes any line. */
const takesLines = "spec.config.log_line_prefix";
/** Fields that take any text. */
const takesTexts = new Set([
  ...["spec.backup.verify.queries[0].sql", "spec.backup.verify.queries[0].expect"],
  ...carried("annotations.note"),
]);
/** Values that need another field to be different. */
const needsOther = (path: string, value: string): boolean =>
  (ofExpressions.includes(path.replace(/\.operator$/, "")) && ["Exists", "DoesNotExist"].includes(value)) ||
  (/^spec\.services\.\w+\.type$/.test(path) && value === "LoadBalancer");
/** Fields in which nothing is a value. */
const takesNothing = new Set([
  ...[takesLines, "spec.monitoring.labels.release", "spec.backup.verify.queries[0].expect"],
  ...["spec.placement.nodeSelector.disk", "spec.placement.tolerations[0].value"],
  ...[...carried("labels.team"), ...carried("annotations.note")],
]);

/** All entries of one field. */
export function entriesOf(node: Node): Entry[] {
  const { schema } = node;
  return [
    ...wrongTypes(node),
    ...missing(node),
    ...(schema.type === "integer" ? integers(node) : []),
    ...(schema.enum ? enumerated(node, schema.enum) : []),
    ...(schema.type === "string" && !schema.enum ? strings(node) : []),
    ...(schema.type === "object" && !schema.additionalProperties ? unknownField(node) : []),
    ...(schema.additionalProperties ? mapEntries(node) : []),
  ];
}

function entry(node: Node, what: string, value: unknown, door: Door): Entry {
  const path = pathOf(node.keys);
  const written = { name: "shop", spec: withValue(baseOf(path), node.keys.slice(1), value) };
  return { title: `${path}: ${what}`, path, written, door };
}

const samples: Readonly<Record<string, unknown>> = {
  "a number": 7,
  "a fraction": 1.5,
  "a text": "text",
  "a boolean": true,
  "a list": ["a"],
  "an object": {},
};
const fitting: Readonly<Record<Schema["type"], readonly string[]>> = {
  string: ["a text"],
  integer: ["a number"],
  boolean: ["a boolean"],
  array: ["a list"],
  object: ["an object"],
};

function wrongTypes(node: Node): Entry[] {
  return Object.entries(samples)
    .filter(([what]) => !fitting[node.schema.type].includes(what))
    .map(([what, value]) => entry(node, what, value, refused(`must be of type ${node.schema.type}`)));
}

function missing(node: Node): Entry[] {
  const isMapValue = node.schema.description === undefined;
  if (oneOfSeveral.has(pathOf(node.keys))) return withoutAny(node);
  const none = node.required ? refused("Required value") : accepted();
  if (isMapValue) return [entry(node, "null", null, accepted())];
  return [entry(node, "null", null, node.required ? none : accepted()), entry(node, "nothing", undefined, none)];
}

/** Without the one that is there: the field around them is what is bad. */
function withoutAny(node: Node): Entry[] {
  const path = pathOf(node.keys.slice(0, -1));
  return [
    { ...entry(node, "null", null, refusedByServerAlone("must have one of")), path },
    { ...entry(node, "nothing", undefined, refused("must have one of")), path },
  ];
}

function integers(node: Node): Entry[] {
  const { minimum = 0, maximum = 0 } = node.schema;
  const low = refused(`should be greater than or equal to ${minimum}`);
  const high = refused(`should be less than or equal to ${maximum}`);
  return [
    entry(node, `${minimum - 1}`, minimum - 1, low),
    entry(node, "-1", -1, low),
    entry(node, `${minimum}`, minimum, accepted()),
    entry(node, `${maximum}`, maximum, accepted()),
    entry(node, `${maximum + 1}`, maximum + 1, high),
    entry(node, "2^31", 2 ** 31, high),
    entry(node, "2^53", 2 ** 53, high),
    entry(node, "1e300", 1e300, refused("spec")),
  ];
}

function enumerated(node: Node, values: readonly string[]): Entry[] {
  const wrong = ["", values[0]?.toUpperCase() ?? "", `${values[0] ?? ""} `, ...Object.values(hostileStrings), ...words];
  const says = values.map((value) => `"${value}"`);
  return [
    ...wrong.map((value) => entry(node, JSON.stringify(value), value, refused(...says))),
    ...values
      .filter((value) => !needsOther(pathOf(node.keys), value))
      .map((value) => entry(node, value, value, accepted(fates[value] ?? "works"))),
  ];
}

/** What becomes of a complete Database with this value in place of its own: the versions are those of another engine. */
const fates: Readonly<Record<string, "VersionUnavailable">> = Object.fromEntries(
  engineNames.filter((name) => name !== "postgresql").map((name) => [name, "VersionUnavailable"]),
);

function strings(node: Node): Entry[] {
  const path = pathOf(node.keys);
  const { maxLength = 0 } = node.schema;
  const rule = refused(...(node.schema[RULES_KEY] ?? []).slice(0, 1).map(({ message }) => message));
  const tooLong = refused(`more than ${maxLength}`);
  const ruleFor = (text: string): Door => (text.length > maxLength ? tooLong : rule);
  const isWord = (word: string): boolean =>
    takesWords.has(path) || takesTexts.has(path) || (path === takesNames && namePattern.test(word));
  const isLine = (text: string): boolean =>
    (path === takesLines && isOneLine(text)) || (takesTexts.has(path) && isOneLine(text.replaceAll(/[\n\t]/g, " ")));
  return [
    entry(node, "nothing in quotes", "", takesNothing.has(path) ? accepted() : rule),
    entry(node, `${maxLength + 1} characters`, "1".repeat(maxLength + 1), tooLong),
    entry(node, "1 MiB", "1".repeat(2 ** 20), tooLong),
    ...words.map((word) => entry(node, `the word ${word}`, word, isWord(word) ? acceptedAt(path) : rule)),
    ...Object.entries(hostileStrings).map(([what, text]) =>
      entry(node, what, text, isLine(text) ? accepted() : ruleFor(text)),
    ),
  ];
}

const acceptedAt = (path: string): Door => accepted(path === "spec.configFrom.name" ? "ConfigSourceMissing" : "works");

function unknownField(node: Node): Entry[] {
  const path = `${pathOf(node.keys)}.surprise`;
  const added = withValue(baseOf(pathOf(node.keys)), [...node.keys.slice(1), "surprise"], 1);
  const door = refusedByServerAlone(`unknown field "${path}"`);
  return [{ title: `${path}: an unknown field`, path, written: { name: "shop", spec: added }, door }];
}

function mapEntries(node: Node): Entry[] {
  const { maxProperties = 0 } = node.schema;
  const says = node.schema[RULES_KEY]?.[0]?.message ?? "";
  // the parser leaves such a key out
  const doorOf = (key: string): Door => (key === "__proto__" ? refusedByServerAlone(says) : refused(says));
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, "1"]));
  const keys = ["", ...Object.values(hostileStrings)];
  const tooMany = refused(`must have at most ${maxProperties} items`);
  return [
    entry(node, `${maxProperties + 1} entries`, many(maxProperties + 1), tooMany),
    entry(node, "10000 entries", many(10_000), tooMany),
    ...keys.map((key) => entry(node, `the key ${JSON.stringify(key)}`, Object.fromEntries([[key, "1"]]), doorOf(key))),
  ];
}
