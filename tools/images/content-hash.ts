// Names an image by what it is built from, so that equal sources are never built twice.
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

const LENGTH = 12;

/**
 * Hash over names, executable bits and contents of all files below `directory`, and over `recipe` (whatever else decides the result).
 * Twelve hexadecimal digits, equal on every machine.
 */
export async function contentHash(directory: string, recipe: unknown): Promise<string> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify(recipe));
  for (const file of await filesOf(directory)) {
    const executable = ((await stat(file)).mode & 0o100) !== 0;
    const content = await readFile(file);
    hash.update(`\0${relative(directory, file)}\0${executable ? "x" : "-"}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, LENGTH);
}

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // by code unit, not by locale: the order must not depend on the machine
  return files.sort((a, b) => (a < b ? -1 : 1));
}
