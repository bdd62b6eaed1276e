// How a rule that plain JSON schema cannot say is written once, beside its field: for the API server as CEL, and for the parser as a function.
import type { z } from "zod";
import type { EngineName } from "../../contract/engines";

/** The key under which the API server reads CEL rules. */
export const RULES_KEY = "x-kubernetes-validations";

/** One CEL rule of the CRD. `rule` sees `self`, and `oldSelf` when it compares an update with what was stored. */
export interface CelRule {
  readonly rule: string;
  /** Says what to write instead. */
  readonly message: string;
  /** The field the error names, relative to the schema that carries the rule, such as `.storageClass`. */
  readonly fieldPath?: string;
}

/** A CEL rule that needs no stored object, with the same check for the parser: CEL may have been bypassed. */
export interface CheckedRule<T> extends CelRule {
  readonly holds: (value: T) => boolean;
}

/** A CEL condition of a spec that its engine is one of these. */
export const isOneOf = (names: readonly EngineName[]): string =>
  names.map((name) => `self.engine == '${name}'`).join(" || ");

/** A CEL condition of a spec that its engine is none of these. */
export const isNoneOf = (names: readonly EngineName[]): string =>
  names.map((name) => `self.engine != '${name}'`).join(" && ");

/** Attaches rules on updates: only the API server sees both versions, so the parser has no part in them. */
export function onUpdate<S extends z.ZodType>(schema: S, rules: readonly CelRule[]): S {
  return schema.meta({ [RULES_KEY]: [...rulesOf(schema), ...rules] });
}

/** Attaches one rule that API server and parser both check. */
export function rule<S extends z.ZodType>(schema: S, { holds, ...cel }: CheckedRule<z.output<S>>): S {
  const path = cel.fieldPath?.split(".").filter((part) => part !== "");
  return schema.refine(holds, { message: cel.message, path }).meta({ [RULES_KEY]: [...rulesOf(schema), cel] });
}

function rulesOf(schema: z.ZodType): unknown[] {
  const rules = schema.meta()?.[RULES_KEY];
  return Array.isArray(rules) ? rules : [];
}
