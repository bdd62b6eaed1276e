import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { z } from "zod";
import { moduleDirectory } from "./build/go";
import { modules } from "./build/tools";
import { type ModuleName, versions } from "./versions";

const pins: Readonly<Record<ModuleName, RegExp>> = {
  etcd: /go\.etcd\.io\/etcd\/server\/v3 v(\S+)/,
  kubernetes: /k8s\.io\/kubernetes v(\S+)/,
  kwok: /sigs\.k8s\.io\/kwok v(\S+)/,
  coredns: /github\.com\/coredns\/coredns v(\S+)/,
  pulumi: /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/,
  resident: /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/,
  "pulumi-language-nodejs": /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/,
  // the module has no tag of the release; its date and commit stand for 4.25.0
  "pulumi-kubernetes": /pulumi-kubernetes\/provider\/v4 v(4\.0\.0-20260115033456-f47bc2d6f199)/,
  kubeconform: /github\.com\/yannh\/kubeconform v(\S+)/,
  "kube-score": /github\.com\/zegl\/kube-score v(\S+)/,
  kubesec: /github\.com\/controlplaneio\/kubesec\/v2 v(\S+)/,
  ferretdb: /github\.com\/FerretDB\/FerretDB v(\S+)/,
  mongodump: /github\.com\/mongodb\/mongo-tools v(\S+)/,
  mongorestore: /github\.com\/mongodb\/mongo-tools v(\S+)/,
  versitygw: /github\.com\/versity\/versitygw v(\S+)/,
  "kube-network-policies": /sigs\.k8s\.io\/kube-network-policies v(\S+)/,
};

const directoryOf = (name: string): string => {
  const module = modules.find((candidate) => candidate.name === name);
  assert(module !== undefined);
  return moduleDirectory(module);
};

for (const [name, pin] of Object.entries(pins)) {
  test(`${name} is pinned in its go.mod at the version it reports`, () => {
    const found = pin.exec(readFileSync(join(directoryOf(name), "go.mod"), "utf8"))?.[1];
    const told = Object.entries(versions).find(([module]) => module === name)?.[1];
    assert.equal(name === "pulumi-kubernetes" ? found && told : found, told);
  });
}

test("the Pulumi CLI, the resident Pulumi and the provider are those of the SDKs", () => {
  const dependencies = z.object({ dependencies: z.record(z.string(), z.string()) });
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  const found = dependencies.parse(JSON.parse(text)).dependencies;
  assert.equal(found["@pulumi/pulumi"], versions.pulumi);
  assert.equal(found["@pulumi/pulumi"], versions.resident);
  assert.equal(found["@pulumi/kubernetes"], versions["pulumi-kubernetes"]);
});
