// Parses what the API server returns into a Database, or into problems a person can act on.
import { z } from "zod";
import { DatabaseSpec, NAME_RULES } from "./spec";
import { maxNameLength, namePattern } from "../../contract/limits";

/** The part of metadata the operator uses. Needs no valid spec. */
export const DatabaseMetadata = z.object({
  name: z.string().min(1),
  namespace: z.string().min(1),
  uid: z.string().min(1),
  resourceVersion: z.string().default(""),
  generation: z.int().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).default([]),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
export type DatabaseMetadata = z.infer<typeof DatabaseMetadata>;

/** A Database whose spec keeps all rules and has its defaults. */
export interface Database {
  readonly metadata: DatabaseMetadata;
  readonly spec: DatabaseSpec;
}

/** A Database, or what is wrong with it: one line per problem, such as `spec.version: must look like 17.6`; never a value. */
export type ParsedDatabase =
  { readonly ok: true; readonly database: Database } | { readonly ok: false; readonly problems: readonly string[] };

/** Parses the metadata and nothing else: deletion works with any spec. Throws a TypeError for what no API server returns. */
export function metadataOf(object: unknown): DatabaseMetadata {
  const parsed = z.object({ metadata: DatabaseMetadata }).safeParse(object, { error: describe });
  if (!parsed.success) throw new TypeError(`not a Database: ${problemsOf(parsed.error).join("; ")}`);
  return parsed.data.metadata;
}

/** Parses a Database and checks every rule again that needs no former version: CEL may have been bypassed. */
export function parseDatabase(object: unknown): ParsedDatabase {
  const parsed = z.object({ metadata: DatabaseMetadata, spec: DatabaseSpec }).safeParse(object, { error: describe });
  const problems = [...nameProblems(object), ...(parsed.success ? [] : problemsOf(parsed.error))];
  return parsed.success && problems.length === 0 ? { ok: true, database: parsed.data } : { ok: false, problems };
}

/** What is wrong with the name of a Database, or of what is translated to one. */
export function nameProblems(object: unknown): string[] {
  const parsed = z.object({ metadata: z.object({ name: z.string() }) }).safeParse(object);
  if (!parsed.success) return [];
  const { name } = parsed.data.metadata;
  const holds = [name.length <= maxNameLength, namePattern.test(name)];
  return NAME_RULES.filter((_, index) => !holds[index]).map(({ message }) => `metadata.name: ${message}`);
}

/** One line per problem, never a value. `under` is where what was parsed stands in its object. */
export function problemsOf(error: z.ZodError, under: readonly string[] = []): string[] {
  return error.issues.map(({ path, message }) => `${pathText([...under, ...path])}: ${message}`);
}

/** As the API server writes it, such as `spec.backup.verify.queries[0].name`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${shown(step)}`))
    .join("")
    .replace(/^\./, "");

/** A step of a path; a key that is no plain word in quotes, with what a terminal would act on escaped. */
function shown(step: PropertyKey): string {
  return /^[-\w./]+$/.test(String(step)) ? String(step) : JSON.stringify(String(step));
}

/** Words for the problems that have no message of their own beside the field. */
export function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "is required";
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  const unit = issue["origin"] === "string" ? " characters long" : "";
  if (issue.code === "too_small") return `must be at least ${issue.minimum.toString()}${unit}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum.toString()}${unit}`;
  return undefined;
}

function article(type: string): string {
  const name = type === "int" ? "integer" : type === "record" ? "object" : type;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}
