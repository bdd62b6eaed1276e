// Lint rules: strict types, small functions, and the import rule that keeps the layers apart (docs/contributing/layout.md).
import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { importRule } from "./tools/structure/lint-imports.mjs";
import { importRules } from "./tools/structure/import-rules.mjs";

export default defineConfig(
  { ignores: ["dist/", "node_modules/", "tools/modules/"] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["*.mjs"] }, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      complexity: ["error", 10],
      "max-depth": ["error", 3],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 4],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "no-console": "error",
    },
  },
  {
    files: ["tools/**", "test/**", "measure/**", "examples/**", "operator/api/generate.ts"],
    rules: { "no-console": "off" },
  },
  {
    files: ["**/*.test.ts", "test/**", "measure/**"],
    rules: {
      "max-lines-per-function": "off",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "it", "describe", "suite"], package: "node:test" },
          ],
        },
      ],
    },
  },
  {
    files: ["**/*.mjs"],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { "@typescript-eslint/explicit-function-return-type": "off" },
  },
  {
    files: ["**/*.{ts,tsx}"],
    ignores: ["**/*.test.ts"],
    plugins: { structure: { rules: { imports: importRule } } },
    // one rule with all that is forbidden: of several objects that match a file, only the last one's options hold
    rules: { "structure/imports": ["error", ...importRules] },
  },
  prettier,
);
