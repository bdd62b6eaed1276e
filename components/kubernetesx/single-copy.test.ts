import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

const components = join(__dirname, "..");
const here = createRequire(__filename);
const kubernetesx = createRequire(here.resolve("@pulumi/kubernetesx"));

for (const sdk of ["@pulumi/pulumi", "@pulumi/kubernetes"]) {
  test(`${sdk} is one copy for this library and for kubernetesx`, () => {
    assert.equal(kubernetesx.resolve(sdk), here.resolve(sdk));
  });
}

test("@pulumi/kubernetes uses the same copy of @pulumi/pulumi", () => {
  const kubernetes = createRequire(here.resolve("@pulumi/kubernetes"));
  assert.equal(kubernetes.resolve("@pulumi/pulumi"), here.resolve("@pulumi/pulumi"));
});

test("only one file imports kubernetesx", () => {
  const files = readdirSync(components, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const importers = files.filter((file) =>
    /from "@pulumi\/kubernetesx"/.test(readFileSync(join(components, file), "utf8")),
  );
  assert.deepEqual(importers, [join("kubernetesx", "pod-spec.ts")]);
});
