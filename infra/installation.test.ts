import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "./config";
import { installationAnnotations, installationPolicyOf } from "./installation";

test("an installation is its namespace and its stack, and names the one that it takes over from", () => {
  const installation = { namespace: "databases", stack: "prod" };
  assert.deepEqual(installationAnnotations(installation), { "database.example.com/installation": "databases/prod" });
  assert.deepEqual(installationAnnotations({ ...installation, takeOver: "databases/dev" }), {
    "database.example.com/installation": "databases/prod",
    "database.example.com/taken-over-from": "databases/dev",
  });
});

test("what is taken over is named as the refusal names it", () => {
  assert.equal(settingsOf({ takeOver: "databases/dev" }, "/").takeOver, "databases/dev");
  assert.throws(() => settingsOf({ takeOver: "dev" }, "/"), /takeOver: is not namespace\/stack/);
});

test("custom resources and catalogue are guarded, and nothing else", () => {
  const rules = installationPolicyOf(["databases.example.com"]).matchConstraints;
  assert.match(
    JSON.stringify(rules),
    /"resourceNames":\["databases.example.com"\].*"resourceNames":\["database-operator-catalogue"\]/,
  );
});
