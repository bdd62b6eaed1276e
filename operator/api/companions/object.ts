// Parses what the API server returns into a companion, or into problems a person can act on.
import { z } from "zod";
import { describe, nameProblems, problemsOf } from "../object";
import type { CompanionKind } from "./kind";

/** The spec of a companion, or what is wrong with it: one line per problem; never a value. */
export type ParsedCompanion<T> =
  { readonly ok: true; readonly spec: T } | { readonly ok: false; readonly problems: readonly string[] };

const WithSpec = z.object({ spec: z.unknown() });

/** Checks every rule again that needs no former version: CEL may have been bypassed. */
export function parseCompanion<S extends z.ZodType>(
  kind: CompanionKind<S>,
  object: unknown,
): ParsedCompanion<z.output<S>> {
  const parsed = kind.spec.safeParse(WithSpec.safeParse(object).data?.spec, { error: describe });
  const problems = [...nameProblems(object), ...(parsed.success ? [] : problemsOf(parsed.error, ["spec"]))];
  return parsed.success && problems.length === 0 ? { ok: true, spec: parsed.data } : { ok: false, problems };
}
