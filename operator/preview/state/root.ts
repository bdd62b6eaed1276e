// Where the repository is: compiled programs are elsewhere in it than their sources.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest directory from `directory` upwards that has the Pulumi project of one Database's stack. Throws where none has. */
export function rootAbove(directory: string): string {
  if (existsSync(join(directory, "stacks", "database", "Pulumi.yaml"))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error("stacks/database is missing: run this from a checkout of the repository");
  return rootAbove(parent);
}
