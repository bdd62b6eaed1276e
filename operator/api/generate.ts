// Writes the files that are generated from the API's schemas; with --check it only says whether the committed ones are current.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { backupResource, revisionResource } from "../../contract/resources";
import { backupCrd } from "./backups/crd";
import { companionCrd, companionKinds } from "./companions/crd";
import { databaseCrd, type CustomResourceDefinition } from "./crd";
import { referencePage } from "./reference";
import { revisionCrd } from "./revisions/crd";

const ROOT = join(__dirname, "..", "..");

/** Every generated file: its path below the project's root and its content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["infra/crds/databases.yaml", manifestOf(databaseCrd())],
    // instead of that one where the API server reaches the operator's webhook
    ["infra/crds/conversion/databases.yaml", manifestOf(databaseCrd("Webhook"))],
    [`infra/crds/${backupResource.plural}.yaml`, manifestOf(backupCrd())],
    [`infra/crds/${revisionResource.plural}.yaml`, manifestOf(revisionCrd())],
    ...companionKinds.map((kind) => [`infra/crds/${kind.plural}.yaml`, manifestOf(companionCrd(kind))] as const),
    ["docs/api.md", referencePage()],
  ]);
}

function manifestOf(crd: CustomResourceDefinition): string {
  // kubectl reads YAML 1.1, where a bare `no` is a boolean. Anchors would be a riddle for people.
  const text = stringify(crd, { lineWidth: 0, version: "1.1", aliasDuplicateObjects: false });
  return `# Generated from operator/api by \`make generate\`. Do not edit.\n${text}`;
}

/** The generated files below `root` that are missing or differ from what the schemas say. */
export function staleFiles(root: string): string[] {
  const isStale = ([path, content]: readonly [string, string]): boolean =>
    !existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== content;
  return [...generatedFiles()].filter(isStale).map(([path]) => path);
}

/** Writes the generated files that are stale, and returns their paths. */
export function generate(root: string): string[] {
  const stale = staleFiles(root);
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), generatedFiles().get(path) ?? "");
  }
  return stale;
}

function main(args: readonly string[]): number {
  if (args.includes("--help")) {
    console.log(
      "Usage: generate.ts [--check]\n\nWrites the CRDs and the API reference from operator/api; --check fails where they are not current.",
    );
    return 0;
  }
  if (!args.includes("--check")) {
    for (const path of generate(ROOT)) console.log(`wrote ${path}`);
    return 0;
  }
  const stale = staleFiles(ROOT);
  for (const path of stale) console.error(`${path} does not match operator/api: run \`make generate\` and commit it`);
  return stale.length === 0 ? 0 : 1;
}

if (require.main === module) process.exitCode = main(process.argv.slice(2));
