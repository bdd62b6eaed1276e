// A version of the code that declares the children, so that an operator whose program changed runs every stack once.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";

/** Put in by tools/compile: a compiled program has no sources beside it. */
declare const compiledProgramVersion: string | undefined;

const isSource = (path: string): boolean => /(?<!\.test)(?<!\.d)\.(ts|js|json)$/.test(path);

/** Packages whose versions shape what is declared. */
const packages = ["@pulumi/kubernetes", "@pulumi/kubernetesx"];
const Manifest = z.object({ version: z.string() });

/**
 * Digest of the sources of components/ and contract/, of the program that uses them and of their libraries' versions; tests do not count.
 * The same whether the operator is compiled or runs from its sources.
 */
export function programVersion(): string {
  return typeof compiledProgramVersion === "string" ? compiledProgramVersion : versionOfSources();
}

function versionOfSources(): string {
  const root = join(__dirname, "../..");
  const files = ["components", "contract"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(root, folder, path)),
  );
  const hash = createHash("sha256");
  for (const file of [...files, join(__dirname, "program.ts")].filter(isSource).sort()) {
    hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  for (const name of packages) {
    const manifest: unknown = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8"));
    hash.update(`${name}@${Manifest.parse(manifest).version}\0`);
  }
  return hash.digest("hex").slice(0, 16);
}
