// Versions to measure: what the cluster's catalogue has.
import type { Catalogue } from "../../tools/images/catalogue";
import type { EngineName } from "./matrix";

/** Images that make two minors of one major, where there are such: most clusters do without. */
export const imagesOfMinors: Readonly<Record<EngineName, readonly string[]>> = {
  postgresql: ["postgresql-15", "postgresql-15-earlier"],
  mysql: [],
};

const imagesOfMajors: Readonly<Record<EngineName, Readonly<Record<string, readonly string[]>>>> = {
  postgresql: { "15": ["postgresql-15"], "18": ["postgresql-18"] },
  mysql: {},
};

/** Images of a version that was asked for, where clusters do without it otherwise. */
export const imagesOfVersion = (engine: EngineName, version: string): readonly string[] =>
  imagesOfMajors[engine][majorOf(version)] ?? [];

/** Versions of an engine in the catalogue, the oldest first. */
export function versionsOf(catalogue: Catalogue, engine: EngineName): readonly string[] {
  return Object.keys(catalogue[engine]).sort(byNumbers);
}

function byNumbers(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split(".").map(Number));
  return (a?.[0] ?? 0) - (b?.[0] ?? 0) || (a?.[1] ?? 0) - (b?.[1] ?? 0);
}

/** An upgrade within a major. */
export interface MinorStep {
  readonly from: string;
  readonly to: string;
}

/** The newest step between two minors of one major; undefined where no major has two. `versions` are X.Y, the oldest first. */
export function minorStep(versions: readonly string[]): MinorStep | undefined {
  const steps = versions.flatMap((from, index) => {
    const to = versions[index + 1];
    return to !== undefined && majorOf(from) === majorOf(to) ? [{ from, to }] : [];
  });
  return steps.at(-1);
}

/** `17` of `17.12`. */
export const majorOf = (version: string): string => version.split(".")[0] ?? "";
