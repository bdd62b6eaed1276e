// Lint rules: strict types, small functions, and the import rule that keeps the layers apart (docs/architecture.md).
import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Forbids imports that match any of `patterns`, with `why` as the message. */
const forbid = (files, patterns, why) => ({
  files,
  ignores: ["**/*.test.ts"],
  rules: { "no-restricted-imports": ["error", { patterns: [{ regex: patterns.join("|"), message: why }] }] },
});

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
  { files: ["tools/**", "test/**", "examples/**", "operator/api/generate.ts"], rules: { "no-console": "off" } },
  {
    files: ["**/*.test.ts", "test/**"],
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
  forbid(
    ["operator/api/*.ts"],
    ["^@pulumi", "^@kubernetes", "^\\.\\./(?!api)"],
    "operator/api is the contract: it imports zod only",
  ),
  forbid(
    ["operator/api/companions/**"],
    ["^@pulumi", "^@kubernetes", "^\\.\\./\\.\\./"],
    "operator/api is the contract: it imports zod only",
  ),
  forbid(
    ["components/**"],
    ["operator", "^@kubernetes/client-node", "^zod", "^undici"],
    "components is a plain Pulumi library",
  ),
  forbid(
    ["components/*.ts", "components/engines/**"],
    ["^@pulumi/kubernetesx"],
    "only components/kubernetesx/ imports kubernetesx",
  ),
  forbid(
    ["operator/kube/**"],
    ["^@pulumi", "\\.\\./stack", "\\.\\./reconcile", "components/(?!naming)"],
    "operator/kube talks to the API server and decides nothing",
  ),
  forbid(
    ["operator/stack/**"],
    ["^@kubernetes", "\\.\\./reconcile", "\\.\\./kube"],
    "operator/stack runs Pulumi and knows no Kubernetes client",
  ),
  forbid(["operator/reconcile/**"], ["^@pulumi", "^@kubernetes"], "operator/reconcile decides: no SDK"),
  forbid(["operator/rollout/**"], ["^@pulumi", "^@kubernetes", "\\.\\./kube"], "operator/rollout decides: no SDK"),
  forbid(["operator/placement/**"], ["^@pulumi", "^@kubernetes", "\\.\\./kube"], "operator/placement compares: no SDK"),
  forbid(
    ["operator/companions/**"],
    ["^@pulumi", "^@kubernetes", "\\.\\./kube", "\\.\\./stack"],
    "operator/companions translates: it makes nothing itself",
  ),
  forbid(
    ["operator/admission/**"],
    ["^@pulumi", "^@kubernetes", "\\.\\./stack"],
    "operator/admission answers the API server: no Pulumi, and the cluster through operator/kube",
  ),
  forbid(
    [
      "operator/admission/{review,convert,validate,verdict}.ts",
      "operator/admission/certificates/{rotation,certificate-set}.ts",
    ],
    ["^@", "\\.\\./stack", "\\.\\./kube", "node:https", "\\./server"],
    "answers and the time of renewals are pure: server.ts, issue.ts and webhooks.ts have what they need of the world",
  ),
  forbid(
    ["operator/leadership/election.ts"],
    ["^@", "\\.\\./"],
    "the election knows no API: term.ts brings them together",
  ),
  forbid(
    ["agent/**"],
    ["^(\\.\\./)+(operator|components|infra|tools)/", "^@pulumi", "^@kubernetes"],
    "agent runs in the members' pods: it is small and stands alone",
  ),
  forbid(
    ["agent/{kubernetes,http,supervise}/**"],
    ["\\.\\./(mysql|mongodb)", "^(mysql2|mongodb|prom-client)$"],
    "what agents of all engines share knows none of them",
  ),
  forbid(
    ["agent/mysql/{decide,outage,gtid,hand-over}.ts", "agent/mongodb/{decide,membership}.ts"],
    ["^[^.]", "\\.\\./"],
    "decisions are pure: member.ts, and perform.ts or act.ts, have what they need of the world",
  ),
  forbid(["infra/**"], ["^(\\.\\./)+operator"], "infra installs generated files; it never imports the operator"),
  prettier,
);
