// What companions ask for, and what becomes of what cannot be had, against a real API server and the real operator; nodes are simulated.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import {
  companion,
  messageOf,
  untilCompanion,
  untilCompanionReady,
  type CompanionName,
  type CompanionPlace,
} from "../harness/companion";
import { untilBackedUp } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { assertEnds, runPreview } from "../harness/preview";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

const root = join(__dirname, "../..");

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);
const placeFor = async (kind: CompanionName, name: string): Promise<CompanionPlace> => [
  kind,
  await makeNamespace(platform.kubectl, name),
  "shop",
];
const apply = (place: CompanionPlace, spec: Record<string, unknown> = {}): Promise<string> =>
  platform.kubectl.apply(companion(place, spec));
const patch = (kind: string, namespace: string, spec: unknown): Promise<string> =>
  kubectl("patch", kind, "shop", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec }));

const Owned = z.object({
  metadata: z.object({
    uid: z.string(),
    ownerReferences: z.array(z.looseObject({ kind: z.string(), uid: z.string() })).default([]),
  }),
  spec: z.looseObject({}),
});
const ownedDatabase = async (namespace: string): Promise<z.infer<typeof Owned>> =>
  Owned.parse(await platform.kubectl.find("database", "shop", namespace));
const specOf = async (namespace: string): Promise<Record<string, unknown>> => (await ownedDatabase(namespace)).spec;

test("every field of a PostgreSQLCluster reaches its Database: the example is translated whole", async () => {
  const place = await placeFor("PostgreSQLCluster", "whole");
  const [, namespace] = place;
  const text = await readFile(join(root, "examples/postgresqlcluster.yaml"), "utf8");
  const { spec } = z.object({ spec: z.record(z.string(), z.unknown()) }).parse(parse(text));
  await apply(place, { ...spec, version: "17.6", storage: { size: "100Gi", storageClass: "fast-ssd" } });
  await eventually(async () => {
    const { engine, version, replicas, storage, storageClass, backup, resources, highAvailability } =
      await specOf(namespace);
    assert.deepEqual(
      { engine, version, replicas, storage, storageClass, backup, resources, highAvailability },
      {
        ...{ engine: "postgresql", version: "17.6", replicas: 3, storage: "100Gi", storageClass: "fast-ssd" },
        backup: spec["backup"],
        resources: spec["resources"],
        highAvailability: { synchronousCommit: true },
      },
    );
  });
});

test("a Database that the API server refuses is reported in the server's words, applied once, and heals with the spec", async () => {
  const place = await placeFor("PostgreSQLCluster", "refused");
  const [, namespace] = place;
  await apply(place, { instances: 1 });
  await untilCompanionReady(platform.kubectl, place);
  await apply(place, { instances: 1, storage: { size: "5Gi" } });
  const wanted = { type: "Stalled", status: "True", reason: "DatabaseRefused" };
  const view = await untilCompanion(platform.kubectl, place, wanted);
  assert.match(messageOf(view, "Stalled"), /spec\.storage: .*must not shrink: write the current size/);
  assert.equal(view.status.phase, "Failed");
  assert.equal(view.status.ready, true, "the database serves as before");
  // a change of the companion that asks for nothing else of the Database
  await kubectl("annotate", "postgresqlcluster", "shop", "-n", namespace, "touched=true");
  await consistently(async () => {
    assert.equal((await refusals(namespace)).length, 1);
  }, 3000);
  await apply(place, { instances: 1, storage: { size: "20Gi" } });
  await untilCompanionReady(platform.kubectl, place);
  assert.equal((await specOf(namespace))["storage"], "20Gi");
});

/** Writes of Databases in a namespace that the API server refused. */
async function refusals(namespace: string): Promise<readonly unknown[]> {
  const { writes = [] } = await platform.witness.observe();
  return writes.filter(
    (write) => write.namespace === namespace && write.resource === "databases" && write.code === 422,
  );
}

test("the catalogue decides what a SampleDB's version means, and the status lists the versions it has", async () => {
  const place = await placeFor("SampleDB", "versions");
  const [, namespace] = place;
  await apply(place, { version: "1.2.3", replicas: 1, backupSchedule: "0 2 * * *" });
  const wanted = { type: "Stalled", status: "True", reason: "VersionUnavailable" };
  const view = await untilCompanion(platform.kubectl, place, wanted);
  assert.match(messageOf(view, "Stalled"), /no postgresql 1 for spec\.version 1\.2\.3; available: 17\.7, 17\.6/);
  assert.equal(await platform.kubectl.find("database", "shop", namespace), undefined);
  await patch("sampledb", namespace, { version: "17.6" });
  await untilCompanionReady(platform.kubectl, place);
  assert.equal((await specOf(namespace))["version"], "17.6");
  await patch("sampledb", namespace, { version: "17" });
  await eventually(async () => {
    assert.equal((await specOf(namespace))["version"], "17.7");
  });
  await untilCompanionReady(platform.kubectl, place);
  await assert.rejects(patch("sampledb", namespace, { version: "16" }), /must stay within the major version that runs/);
});

test("a preview of a companion is that of the Database that it becomes, and writes nothing", async () => {
  const place = await placeFor("SampleDB", "previewed");
  const [, namespace] = place;
  const preview = (spec: Record<string, unknown>, ...args: string[]): ReturnType<typeof runPreview> =>
    runPreview(platform.environment, companion(place, spec), ...args);
  assertEnds(await preview({ replicas: 1 }), 1, /Database previewed\/shop: new/, /\+ StatefulSet shop\n/);
  assertEnds(await preview({ version: "14" }), 2, /VersionUnavailable/, /available: 17\.7, 17\.6/);
  assert.deepEqual(await platform.kubectl.names("databases,sampledbs", namespace), []);
  await apply(place, { replicas: 1 });
  await untilCompanionReady(platform.kubectl, place);
  await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
  assertEnds(await preview({ replicas: 1 }), 0, /previewed\/shop: nothing would change/);
  assertEnds(await preview({ replicas: 2 }), 1, /spec\.replicas +1 → 2/, /a member is added/);
  assertEnds(await preview({ replicas: 1 }, "--delete"), 1, /StatefulSet shop/, /previewed\/shop/);
  assert.equal((await specOf(namespace))["replicas"], 1);
});

test("a SampleDB that waits for a version uses it once the catalogue has it", async () => {
  const place = await placeFor("SampleDB", "awaits");
  const [, namespace] = place;
  await apply(place, { version: "15.3", replicas: 1 });
  await untilCompanion(platform.kubectl, place, { type: "Stalled", status: "True", reason: "VersionUnavailable" });
  const { postgresql } = simulatedCatalogue;
  const catalogue = { postgresql: { ...postgresql, "15.18": { image: "docker.io/library/postgresql:15.18" } } };
  const data = { "catalogue.json": JSON.stringify(catalogue) };
  const map = ["configmap", "database-operator-catalogue", "-n", "database-operator-system"];
  await kubectl("patch", ...map, "--type=merge", "-p", JSON.stringify({ data }));
  await eventually(async () => {
    assert.equal((await specOf(namespace))["version"], "15.18");
  }, minutes(1));
});

test("a missing custom resource does not stop the operator, and is found once it is installed", async () => {
  const namespace = await makeNamespace(platform.kubectl, "missing");
  await operator.stop();
  const file = join(root, "infra/crds/sampledbs.yaml");
  await kubectl("delete", "-f", file, "--timeout=120s");
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await platform.kubectl.apply(companion(["PostgreSQLCluster", namespace, "other"], { instances: 1 }));
  await untilCompanionReady(platform.kubectl, ["PostgreSQLCluster", namespace, "other"]);
  const said = operator.log.filter(({ msg }) => msg.startsWith("custom resource not installed"));
  assert.deepEqual(
    said.map((line) => line["kind"]),
    ["sampledbs"],
  );
  assert.equal(await operator.probe("/readyz"), 200);
  await kubectl("apply", "--server-side", "-f", file);
  await kubectl("wait", "--for=condition=Established", "crd/sampledbs.database.example.com", "--timeout=30s");
  await apply(["SampleDB", namespace, "shop"], { replicas: 1 });
  await untilCompanionReady(platform.kubectl, ["SampleDB", namespace, "shop"]);
  // the SampleDBs went with their custom resource, and the garbage collector takes their Databases
  await eventually(async () => {
    for (const other of ["versions", "previewed", "awaits"]) {
      assert.deepEqual(await platform.kubectl.names("databases", other), []);
    }
  }, minutes(3));
});
