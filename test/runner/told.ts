// Which sources make up a file of tests: itself, and the stories that it tells.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(__dirname, "../..");

const importOfStory = /from "(\.\/stories\/[\w-]+)";/g;

/** The sources, below the root, with their texts; the file itself comes first. */
export function sourcesOf(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, file), "utf8");
  const stories = [...text.matchAll(importOfStory)].map(([, path = ""]) => join(dirname(file), `${path}.ts`));
  return new Map([[file, text], ...stories.map((path) => [path, readFileSync(join(root, path), "utf8")] as const)]);
}
