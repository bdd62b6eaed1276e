// In what the spec of a revision differs from another one, or from that of now. Pure.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { DatabaseRevision } from "../../../operator/api/revisions/object";

/** A field in which they differ; what one of them lacks is missing there. */
export interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What it is compared with: the number of a revision, or what is asked for now. */
export type Other = number | "now";

export interface Comparison {
  readonly other: Other;
  /** From the older one to the newer one; undefined where one of them was not kept. */
  readonly fields: readonly Difference[] | undefined;
  /** What else there is to compare with, the newest first. */
  readonly others: readonly Other[];
}

interface Compared {
  readonly revision: DatabaseRevision;
  readonly revisions: readonly DatabaseRevision[];
  /** The spec of now. */
  readonly spec: object;
}

/** `wanted`: as it was written; what there is not counts as now. */
export function comparisonOf({ revision, revisions, spec }: Compared, wanted: string | undefined): Comparison {
  const own = revision.spec.revision;
  const numbers = revisions.map((one) => one.spec.revision).filter((number) => number !== own);
  const other = numbers.find((number) => String(number) === wanted) ?? "now";
  const template = revision.spec.template;
  const against = other === "now" ? spec : revisions.find((one) => one.spec.revision === other)?.spec.template;
  const [before, after] = other !== "now" && other < own ? [against, template] : [template, against];
  const areKnown = before !== undefined && after !== undefined;
  const fields = areKnown ? differencesIn("spec", before, after) : undefined;
  return { other, fields, others: ["now", ...numbers] };
}

const Fields = z.record(z.string(), z.unknown());

/** Field by field, sorted; a list is one field. */
function differencesIn(path: string, before: unknown, after: unknown): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [left, right] = [before, after].map((value) => Fields.safeParse(value).data);
  if (left === undefined || right === undefined) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return names.flatMap((name) => differencesIn(`${path}.${name}`, left[name], right[name]));
}
