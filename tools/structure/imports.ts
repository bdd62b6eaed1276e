// Which file imports which, of those in the work tree; imports of types count.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { preProcessFile } from "typescript";

/** What each file or folder imports, by path below the root. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** The imports among the TypeScript files that match `patterns`. */
export function importsAmong(root: string, patterns: readonly string[]): Imports {
  const files = new Set(globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] }));
  return new Map([...files].sort().map((file) => [file, new Set(importsOf(join(root, file), file, files))]));
}

function importsOf(path: string, file: string, files: ReadonlySet<string>): readonly string[] {
  return preProcessFile(readFileSync(path, "utf8"))
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .flatMap(({ fileName }) => {
      // what is loaded later is named by what it is compiled to
      const target = join(dirname(file), fileName).replace(/\.js$/, "");
      return (
        [target, `${target}.ts`, `${target}.tsx`, join(target, "index.ts")].find((candidate) => files.has(candidate)) ??
        []
      );
    });
}

/** The imports between what is directly in `folder`: files, and folders with all below them. */
export function importsWithin(folder: string, imports: Imports): Imports {
  const entryOf = (file: string): string | undefined => {
    if (folder !== "" && !file.startsWith(`${folder}/`)) return undefined;
    const [name = ""] = file.slice(folder === "" ? 0 : folder.length + 1).split("/");
    return join(folder, name);
  };
  const within = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = entryOf(file);
    if (from === undefined) continue;
    const known = within.get(from) ?? new Set();
    within.set(from, known);
    for (const to of [...targets].map(entryOf)) if (to !== undefined && to !== from) known.add(to);
  }
  return within;
}
