import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { before, describe, test } from "node:test";
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { z } from "zod";

const root = join(__dirname, "../..");
const RULE = "structure/imports";

const Places = z.array(z.string()).readonly();
const ImportRule = z.strictObject({
  code: Places,
  except: Places.default([]),
  only: Places.optional(),
  not: Places.default([]),
  allowing: Places.default([]),
  why: z.string(),
});
type ImportRule = z.infer<typeof ImportRule>;
const LintConfig = z.object({ rules: z.object({ [RULE]: z.tuple([z.literal(2)], ImportRule) }) });

// the project's own configuration, but for what needs types: planted files are in no program
const eslint = new ESLint({
  cwd: root,
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false } } },
  ],
  ruleFilter: ({ ruleId }) => ruleId === RULE,
});

describe("import rules", () => {
  let rules: readonly ImportRule[] = [];

  before(async () => {
    const config: unknown = await eslint.calculateConfigForFile(join(root, "operator/main.ts"));
    const [, ...options] = LintConfig.parse(config).rules[RULE];
    rules = options;
  });

  test("an import that a rule forbids is refused in each of the places that it holds for", async () => {
    assert.notEqual(rules.length, 0);
    for (const rule of rules) {
      for (const place of rule.code) {
        const file = plantedIn(place);
        const forbidden = rule.only === undefined ? rule.not : ["left-pad", "test/planted"];
        for (const target of forbidden) {
          assert.ok((await refusals(file, target)).includes(rule.why), `${file} may import ${target}: ${rule.why}`);
        }
      }
    }
  });

  test("an import is refused however it is written", async () => {
    for (const text of [
      'import "zod";',
      'import { z } from "zod";',
      'import type { ZodType } from "zod";',
      'export { z } from "zod";',
      'export * from "zod";',
      'export const z = await import("zod");',
      'export type Z = import("zod").ZodType;',
    ]) {
      assert.equal((await messages("components/planted.ts", text)).length, 1, text);
    }
    const later = 'export const main = await import("../main.js");';
    assert.equal((await messages("operator/stack/planted.ts", later)).length, 1, later);
  });

  test("what a rule allows is not refused", async () => {
    for (const { code, only = [], allowing } of rules) {
      for (const target of [...only, ...allowing].filter((allowed) => allowed.startsWith(code[0] ?? ""))) {
        assert.deepEqual(await refusals(plantedIn(code[0] ?? ""), target), [], target);
      }
    }
    assert.deepEqual(await refusals("operator/kube/planted.ts", "components/naming"), []);
    assert.deepEqual(await refusals("operator/api/planted.ts", "zod"), []);
  });

  test("the product imports no measurement, test or tool, and measurements import of the tests only the harness and what is on record", async () => {
    const product = ["agent", "components", "contract", "examples", "infra", "operator", "plugin", "stacks"];
    for (const file of product.map((folder) => `${folder}/planted.ts`)) {
      for (const target of ["measure/bench/run", "test/harness/kubectl", "tools/main"]) {
        assert.notDeepEqual(await refusals(file, target), [], `${file} may import ${target}`);
      }
    }
    for (const target of [
      ...["test/e2e/stories/mysql", "test/faults/rig", "test/judges/rights/compare", "test/runner/test-run"],
    ]) {
      assert.equal((await refusals("measure/bench/planted.ts", target)).length, 1, target);
    }
    for (const target of [
      "test/harness/kubectl",
      "test/judges/invariants/snapshot",
      "test/judges/reliability/results",
      "test/runner/rotation-record",
      "tools/progress",
      "operator/config",
    ]) {
      assert.deepEqual(await refusals("measure/availability/planted.ts", target), [], target);
    }
    assert.equal((await refusals("test/harness/planted.ts", "measure/bench/run")).length, 1);
    assert.deepEqual(await refusals("test/e2e/stories/planted.ts", "measure/availability/matrix"), []);
  });

  test("every place that a rule names exists", () => {
    const packages = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    const isPackage = (place: string): boolean =>
      place.startsWith("node:") ||
      Object.keys(packages.dependencies).some((name) => name === place || name.startsWith(`${place}/`));
    const isPath = (place: string): boolean =>
      ["", ".ts", ".json"].some((suffix) => existsSync(join(root, place + suffix)));
    for (const { code, except, only = [], not, allowing } of rules) {
      const targets = [...only, ...not, ...allowing].filter((place) => !isPackage(place));
      for (const place of [...code, ...except, ...targets]) assert.ok(isPath(place), place);
    }
  });
});

/** A file that does not exist in a folder; of a file itself. */
function plantedIn(place: string): string {
  const isFolder = existsSync(join(root, place)) && statSync(join(root, place)).isDirectory();
  return isFolder ? `${place}/planted.ts` : `${place}.ts`;
}

/** Why the rules refuse `target` in `file`. */
async function refusals(file: string, target: string): Promise<string[]> {
  const isOurs = existsSync(join(root, target.split("/")[0] ?? ""));
  const path = relative(dirname(file), target);
  const specifier = isOurs ? (path.startsWith(".") ? path : `./${path}`) : target;
  return (await messages(file, `import "${specifier}";`)).map((message) => message.replace(/^.*? here: (.*)\.$/, "$1"));
}

async function messages(file: string, text: string): Promise<string[]> {
  const results = await eslint.lintText(text, { filePath: join(root, file) });
  return results.flatMap((result) => result.messages).map(({ message }) => message);
}
