import assert from "node:assert/strict";
import { test } from "node:test";
import { forOneDatabase } from "./sampler";

test("what lives as long as the operator is not counted as a process of a Database", () => {
  const programs = ["node", "pulumi-resident", "pulumi-resource-kubernetes", "pulumi", "pulumi", "esbuild"];
  assert.equal(forOneDatabase(programs.map((program, pid) => ({ pid, program }))), 2);
});
