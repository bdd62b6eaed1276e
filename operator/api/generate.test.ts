import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { parse } from "yaml";
import { backupResource, companionResources, revisionResource } from "../../contract/resources";
import { databaseCrd } from "./crd";
import { generate, generatedFiles, staleFiles } from "./generate";

const all = [
  "infra/crds/databases.yaml",
  "infra/crds/conversion/databases.yaml",
  `infra/crds/${backupResource.plural}.yaml`,
  `infra/crds/${revisionResource.plural}.yaml`,
  ...Object.values(companionResources).map(({ plural }) => `infra/crds/${plural}.yaml`),
  "docs/api.md",
];

test("a generated file that was edited or is missing is noticed, and written again", (t) => {
  const root = mkdtempSync(join(tmpdir(), "generate-"));
  t.after(() => {
    rmSync(root, { recursive: true });
  });
  assert.deepEqual(staleFiles(root), all);
  assert.deepEqual(generate(root), all);
  assert.deepEqual(staleFiles(root), []);
  appendFileSync(join(root, "docs/api.md"), "an edit by hand\n");
  assert.deepEqual(staleFiles(root), ["docs/api.md"]);
  assert.deepEqual(generate(root), ["docs/api.md"]);
  assert.deepEqual(staleFiles(root), []);
});

test("the YAML of the CRDs reads back as the CRDs", () => {
  const read = (path: string): unknown => parse(generatedFiles().get(path) ?? "");
  assert.deepEqual(read("infra/crds/databases.yaml"), structuredClone(databaseCrd()));
  assert.deepEqual(read("infra/crds/conversion/databases.yaml"), structuredClone(databaseCrd("Webhook")));
});

test("the committed generated files are current", () => {
  assert.deepEqual(staleFiles(join(__dirname, "..", "..")), [], "run `make generate` and commit the result");
});
