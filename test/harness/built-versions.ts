// The versions of engines that a cluster's catalogue has, with the images that were built of them.
import type { EngineName } from "../../contract/engines";
import type { Catalogue } from "../../tools/images/catalogue";

/** A version of an engine. */
export interface BuiltVersion {
  readonly version: string;
  /** As pods name it. */
  readonly image: string;
}

/** What is known of a cluster that was started for tests. */
interface WithCatalogue {
  readonly catalogue: Catalogue;
}

/** The version of an engine that most should use. Throws where the catalogue has none. */
export function builtVersion({ catalogue }: WithCatalogue, engine: EngineName): BuiltVersion {
  const [first] = Object.entries(catalogue[engine]);
  if (first === undefined) throw new Error(`the catalogue has no version of ${engine}`);
  const [version, { image }] = first;
  return { version, image };
}

/** Images of two minors of one major version, where most clusters have one. Not among the stories: a file that wants them tells none. */
export const imagesOfMinors = ["postgresql-15", "postgresql-15-earlier"] as const;

/** The minors of a major version of PostgreSQL, the older ones first. */
export function builtMinors({ catalogue }: WithCatalogue, major: string): readonly string[] {
  const minors = Object.keys(catalogue.postgresql).filter((version) => version.startsWith(`${major}.`));
  return minors.sort((left, right) => Number(left.split(".")[1]) - Number(right.split(".")[1]));
}
