// What the API of companions promises, against a real API server: what it accepts, what it refuses and how, what kubectl prints.
import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { companionKinds } from "../../operator/api/companions/crd";
import { parseCompanion } from "../../operator/api/companions/object";
import { provideTools } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { progressTo } from "../../tools/progress";
import { companion, type CompanionName } from "../harness/companion";
import { kubectlFor, type Kubectl } from "../harness/kubectl";

const root = join(__dirname, "../..");

let cluster: Cluster;
let kubectl: Kubectl;

before(async () => {
  const progress = progressTo((line) => {
    console.error(line);
  });
  const tools = await provideTools(["kubectl"], { progress });
  cluster = await startCluster({ nodes: "simulated", life: "parent", progress });
  const bin = dirname(tools.get("kubectl") ?? "");
  kubectl = kubectlFor({ PATH: [bin, process.env["PATH"]].join(delimiter), KUBECONFIG: cluster.kubeconfig });
  await kubectl("apply", "--server-side", "-f", join(root, "infra/crds"));
  const crds = companionKinds.map(({ plural, group }) => `crd/${plural}.${group}`);
  await kubectl("wait", "--for=condition=Established", ...crds, "--timeout=30s");
});
after(async () => {
  await cluster.stop();
});

type Spec = Record<string, unknown>;
const nameOf = (kind: CompanionName, name: string): readonly [CompanionName, string, string] => [kind, "default", name];
const withHa = (enabled: boolean, more: Spec = {}): Spec => ({ highAvailability: { enabled, ...more } });

for (const [file, what] of [
  ["postgresqlcluster", "PostgreSQLCluster prod-db"],
  ["sampledb", "SampleDB my-db"],
] as const) {
  test(`the example of a ${what} is accepted as it is, and api-resources, explain and get all know it`, async () => {
    const [kind = "", name = ""] = what.split(" ");
    await kubectl("apply", "-f", join(root, "examples", `${file}.yaml`));
    assert.match(await kubectl("get", kind, name, "-o", "jsonpath={.status}"), /^\{"observedGeneration":-1\}$/);
    const line = (await kubectl("api-resources")).split("\n").find((found) => found.startsWith(`${file}s `));
    assert.match(line ?? "", new RegExp(`^${file}s +(pgc|sdb) +\\S+/v1 +true +${kind}$`));
    assert.match(await kubectl("get", "all"), new RegExp(`^${file}\\.\\S+/${name} `, "m"));
    assert.match(await kubectl("explain", `${file}.spec.version`), /Version of (the engine|PostgreSQL)/);
    await kubectl("scale", file, name, "--replicas=5");
    const { size } = { size: kind === "SampleDB" ? "replicas" : "instances" };
    assert.equal(await kubectl("get", kind, name, "-o", `jsonpath={.spec.${size}}`), "5");
    await kubectl("apply", "--dry-run=server", "-f", join(root, "examples", `${file}.yaml`));
  });
}

const accepted: readonly (readonly [kind: CompanionName, spec: Spec])[] = [
  ["PostgreSQLCluster", {}],
  ["PostgreSQLCluster", { version: "14.5", instances: 1, ...withHa(false) }],
  ["PostgreSQLCluster", { instances: 2, ...withHa(true, { synchronousCommit: true }) }],
  ["PostgreSQLCluster", { instances: 1, highAvailability: { synchronousCommit: true } }],
  ["PostgreSQLCluster", { storage: { size: "1Gi" }, backup: { enabled: false } }],
  ["SampleDB", {}],
  ["SampleDB", { version: "1.2.3", replicas: 3, backupSchedule: "0 2 * * *" }],
  ["SampleDB", { version: "14.5", replicas: 1 }],
];
for (const [index, [kind, spec]] of accepted.entries()) {
  test(`accepted: a ${kind} with ${JSON.stringify(spec)}`, async () => {
    const object = companion(nameOf(kind, `accepted-${index}`), spec);
    assert.match(await kubectl.apply(object), /created/);
  });
}

const refused: readonly (readonly [kind: CompanionName, spec: Spec, says: RegExp])[] = [
  ["PostgreSQLCluster", { version: "17" }, /spec\.version: .*must be two numbers with a dot between them/],
  ["PostgreSQLCluster", { instances: 0 }, /spec\.instances: .*greater than or equal to 1/],
  ["PostgreSQLCluster", { instances: 11 }, /spec\.instances: .*less than or equal to 10/],
  ["PostgreSQLCluster", { instances: 1, ...withHa(true) }, /spec\.instances: .*must be at least 2 with/],
  ["PostgreSQLCluster", withHa(false), /spec\.instances: .*must be 1 with highAvailability\.enabled: false/],
  [
    "PostgreSQLCluster",
    { instances: 1, ...withHa(false, { synchronousCommit: true }) },
    /spec\.highAvailability\.synchronousCommit: .*waits for another instance/,
  ],
  ["PostgreSQLCluster", { storage: { size: "10G" } }, /spec\.storage\.size: .*must be whole gibibytes/],
  ["PostgreSQLCluster", { storage: { storageClass: "Fast" } }, /must be the name of a StorageClass/],
  ["PostgreSQLCluster", { backup: { schedule: "@daily" } }, /spec\.backup\.schedule: .*five cron fields/],
  ["PostgreSQLCluster", { backup: { retention: 0 } }, /spec\.backup\.retention: .*greater than or equal to 1/],
  [
    "PostgreSQLCluster",
    { resources: { requests: { cpu: "4" }, limits: { cpu: "2" } } },
    /requests\.cpu must not exceed limits\.cpu/,
  ],
  ["PostgreSQLCluster", { config: {} }, /unknown field "spec\.config"/],
  ["SampleDB", { version: "latest" }, /spec\.version: .*must be one to three numbers/],
  ["SampleDB", { version: "1.2.3.4" }, /spec\.version: .*must be one to three numbers/],
  ["SampleDB", { version: 17 }, /spec\.version.*must be of type string/],
  ["SampleDB", { replicas: 11 }, /spec\.replicas: .*less than or equal to 10/],
  ["SampleDB", { backupSchedule: "0 2 * *" }, /spec\.backupSchedule: .*five cron fields/],
  ["SampleDB", { storage: "1Gi" }, /unknown field "spec\.storage"/],
];
for (const [kind, spec, says] of refused) {
  test(`refused: a ${kind} with ${JSON.stringify(spec)}, by the parser too where CEL was bypassed`, async () => {
    const object = companion(nameOf(kind, "refused"), spec);
    await assert.rejects(kubectl.apply(object), says);
    // an unknown field is dropped, not refused, behind the door
    const known = companionKinds.find((one) => one.kind === kind);
    assert.ok(known);
    if (!says.source.includes("unknown field")) assert.equal(parseCompanion(known, object).ok, false);
  });
}

for (const kind of ["PostgreSQLCluster", "SampleDB"] as const) {
  test(`the name of a ${kind} is that of a Database`, async () => {
    await assert.rejects(kubectl.apply(companion(nameOf(kind, "1st"))), /must begin with a lower-case letter/);
    await assert.rejects(kubectl.apply(companion(nameOf(kind, "a".repeat(46)))), /must have at most 45 characters/);
  });
}

test("between two versions of one object: storage grows only, its class stays, and the version does not go down", async () => {
  const place = nameOf("PostgreSQLCluster", "steps");
  const apply = (spec: Spec): Promise<string> => kubectl.apply(companion(place, spec));
  await apply({ version: "17.6", storage: { size: "10Gi", storageClass: "fast" } });
  await assert.rejects(apply({ storage: { size: "5Gi", storageClass: "fast" } }), /must not shrink/);
  await assert.rejects(
    apply({ storage: { size: "10Gi", storageClass: "slow" } }),
    /cannot be changed, added or removed/,
  );
  await assert.rejects(apply({ storage: { size: "10Gi" } }), /cannot be changed, added or removed/);
  await apply({ storage: { size: "20Gi", storageClass: "fast" } });
  const patch = ["--subresource=status", "--type=merge", "-p", '{"status":{"version":"17.6"}}'];
  await kubectl("patch", "pgc", "steps", ...patch);
  const kept = { storage: { size: "20Gi", storageClass: "fast" } };
  await assert.rejects(apply({ version: "17.5", ...kept }), /must not go below the version that runs/);
  await assert.rejects(apply({ version: "16.9", ...kept }), /must stay within the major version that runs/);
  await apply({ version: "17.7", ...kept });
});

test("a SampleDB stays within the major version that runs, however loosely it is written", async () => {
  const place = nameOf("SampleDB", "steps");
  await kubectl.apply(companion(place, { version: "17" }));
  await kubectl("patch", "sdb", "steps", "--subresource=status", "--type=merge", "-p", '{"status":{"version":"17.6"}}');
  await assert.rejects(kubectl.apply(companion(place, { version: "16" })), /must stay within the major version/);
  await assert.rejects(kubectl.apply(companion(place, { version: "1.7.6" })), /must stay within the major version/);
  await kubectl.apply(companion(place, { version: "17.7" }));
  await kubectl.apply(companion(place, { version: "17" }));
});
