// kubeconform, kube-score and kubesec over what a real run creates for a Database, and over the platform as it is installed.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { childKinds, serviceMonitors } from "../../operator/kube/child-kinds";
import { run } from "../../tools/host/command";
import { progressTo } from "../../tools/progress";
import { rawConsole } from "../fakes/console-settings";
import { namespaceWithShop } from "../harness/database";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { exceptions } from "../judges/linters/exceptions";
import { idleExceptions, openFindings, type Finding } from "../judges/linters/finding";
import { lint } from "../judges/linters/linters";
import { manifestsIn, manifestsOf, type Manifest } from "../judges/linters/manifest";

const ROOT = join(__dirname, "../..");

const image = "registry.example.com/database-operator:1";
const withConsole = ["--set", `console=${JSON.stringify(rawConsole)}`];

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  const settings = { image, console: rawConsole };
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue, settings, fresh: true });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

/** Kinds of the platform's objects. */
const platformKinds = [
  ...["namespace", "customresourcedefinition", "configmap", "serviceaccount", "deployment", "service"],
  ...["poddisruptionbudget", "networkpolicy", "role", "rolebinding", "clusterrole", "clusterrolebinding"],
  "validatingwebhookconfiguration",
];

/** Sets of manifests, by what they are; those of a file are `manifestsIn(file)`. */
const sets: Readonly<Record<string, () => Promise<Manifest[]>>> = {
  "the platform, as `pulumi up` installs it": () =>
    manifestsOf(platform.kubectl, platformKinds, "app.kubernetes.io/part-of=database-operator", ["-A"]),
  "the bundle, as `make bundle` writes it": async () => {
    const directory = await mkdtemp(join(tmpdir(), "bundle-"));
    const file = join(directory, "install.yaml");
    await writeFile(
      file,
      await run("tsx", ["tools/main.ts", "bundle", "--image", image, ...withConsole], { cwd: ROOT }),
    );
    return manifestsIn(file).finally(() => rm(directory, { recursive: true }));
  },
  "a Database with its children": async () => {
    const namespace = await namespaceWithShop(platform.kubectl, "linted", { replicas: 3 });
    // this cluster does not know ServiceMonitors
    const kinds = childKinds.filter((kind) => kind !== serviceMonitors).map(({ resource }) => resource.plural);
    return manifestsOf(platform.kubectl, kinds, "database=shop", ["-n", namespace]);
  },
  "the examples": async () => (await Promise.all(globSync(join(ROOT, "examples/*.yaml")).map(manifestsIn))).flat(),
};

const findingsIn = (manifests: readonly Manifest[]): Promise<Finding[]> => {
  const progress = progressTo((line) => {
    console.error(line);
  });
  return lint(manifests, { kubectl: platform.kubectl, progress });
};

/** Of all sets, as the tests go over them. */
const argued: Finding[] = [];

for (const [what, manifests] of Object.entries(sets)) {
  test(`linters find nothing but the listed exceptions: ${what}`, async () => {
    const found = await findingsIn(await manifests());
    argued.push(...found);
    assert.deepEqual(openFindings(found, exceptions), []);
  });
}

test("no exception is listed that nothing needs", () => {
  assert.deepEqual(idleExceptions(argued, exceptions), []);
});

/** A Deployment whose container has this security context. */
const deployment = (name: string, securityContext: unknown): Manifest => {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "server", image: "server", securityContext }] },
  };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "default" }, spec };
};

test("what is wrong is found", async () => {
  const wrong = [deployment("misspelt", { readOnlyFileSystem: true }), deployment("mighty", { privileged: true })];
  const found = openFindings(await findingsIn(wrong), []).join("\n");
  assert.match(found, /^kubeconform statusInvalid: Deployment misspelt: .*readOnlyFileSystem/m);
  assert.match(found, /^kube-score container-image-tag: Deployment mighty: server: Image with latest tag$/m);
  assert.match(found, /^kubesec Privileged: Deployment mighty: /m);
});
