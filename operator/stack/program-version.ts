// A version of the code that declares the children, so that an operator whose program changed runs every stack once.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const isSource = (path: string): boolean => /(?<!\.test)(?<!\.d)\.(ts|js)$/.test(path);

/** Digest of the sources of components/ and of the program that uses them; tests do not count. */
export function programVersion(): string {
  const components = dirname(require.resolve("../../components"));
  const files = readdirSync(components, { recursive: true, encoding: "utf8" }).map((path) => join(components, path));
  const hash = createHash("sha256");
  for (const file of [...files, require.resolve("./program")].filter(isSource).sort()) {
    hash.update(relative(components, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}
