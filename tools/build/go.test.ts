import assert from "node:assert/strict";
import test from "node:test";
import { type BuildInputs, buildKey, goArguments } from "./go";
import { findTool, modules, toolNames, toolsOn } from "./tools";

const inputs: BuildInputs = {
  sources: ["module m", "sum", "package main"],
  flags: ["-trimpath"],
  go: "go1.26.8 linux/amd64",
};

test("equal inputs give equal keys", () => {
  assert.equal(buildKey(inputs), buildKey(structuredClone(inputs)));
});

const changes: Readonly<Record<string, BuildInputs>> = {
  "go.mod": { ...inputs, sources: ["module n", "sum", "package main"] },
  "go.sum": { ...inputs, sources: ["module m", "sum2", "package main"] },
  "main.go": { ...inputs, sources: ["module m", "sum", ""] },
  "what moves from one file to the next": { ...inputs, sources: ["module ms", "um", "package main"] },
  "a flag": { ...inputs, flags: ["-trimpath", "-race"] },
  "the version of Go": { ...inputs, go: "go1.27.0 linux/amd64" },
  "the platform": { ...inputs, go: "go1.26.8 darwin/arm64" },
};

for (const [what, changed] of Object.entries(changes)) {
  test(`the key changes with ${what}`, () => {
    assert.notEqual(buildKey(changed), buildKey(inputs));
  });
}

test("a single program is built under its own name, several into the directory", () => {
  const outputOf = (name: string): string | undefined => {
    const args = goArguments(findTool(name, "linux").module, "/out", "linux");
    return args[args.indexOf("-o") + 1];
  };
  assert.equal(outputOf("etcd"), "/out/etcd");
  assert.equal(outputOf("pulumi-resource-kubernetes"), "/out/pulumi-resource-kubernetes");
  assert.equal(outputOf("kubelet"), "/out/");
});

test("versions are stamped at link time", () => {
  const flags = (name: string): string => goArguments(findTool(name, "linux").module, "/out", "linux").join(" ");
  assert.match(
    flags("pulumi"),
    /-s -w -X github\.com\/pulumi\/pulumi\/sdk\/v3\/go\/common\/version\.Version=v3\.258\.0/,
  );
  assert.match(flags("kubectl"), /gitVersion=v1\.34\.4 .*gitMajor=1 .*gitMinor=34/);
  assert.match(flags("pulumi-resource-kubernetes"), /-X main\.version=4\.25\.0/);
});

test("the programs of a real node are built on Linux only", () => {
  assert(toolNames("linux").includes("kubelet"));
  assert(!toolNames("darwin").includes("kubelet") && !toolNames("darwin").includes("kube-proxy"));
  assert.throws(() => findTool("kubelet", "darwin"), /no tool "kubelet" on darwin; there are: etcd/);
});

test("programs that only tests use are built when they are asked for by name, and not with the others", () => {
  assert(!toolNames("linux").includes("kubeconform"));
  assert.equal(findTool("kubeconform", "linux").module.name, "kubeconform");
});

test("every program has one module, and every module a program", () => {
  const names = modules.flatMap((module) => module.tools.map((tool) => tool.name));
  assert.equal(new Set(names).size, names.length);
  assert(modules.every((module) => toolsOn(module, "linux").length > 0));
});
