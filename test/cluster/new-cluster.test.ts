// Databases that move to a new cluster by a backup: what docs/platform/disaster-recovery.md says to restore, in that order, and what lacks its volumes.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { uidOf } from "../drift/children";
import { database, readDatabase, untilCondition, untilGone, untilReady } from "../harness/database";
import { minutes } from "../harness/eventually";
import { makeNamespace, readSecret, type Kubectl } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

const operatorNamespace = "database-operator-system";

/** An object as a backup has it: without what a cluster adds. A claim is bound to a volume of the new cluster. */
const Saved = z
  .object({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.object({
      name: z.string(),
      namespace: z.string(),
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
    }),
    type: z.string().optional(),
    data: z.record(z.string(), z.string()).optional(),
    spec: z.looseObject({}).optional(),
  })
  .transform(({ metadata, spec, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations: without(metadata.annotations, (key) => key.startsWith("pv.kubernetes.io/")) },
    ...(spec && { spec: without(spec, (key) => key === "volumeName") }),
  }));
type Saved = z.infer<typeof Saved>;

function without<T>(record: Readonly<Record<string, T>>, isOf: (key: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !isOf(key)));
}

let saved: { readonly records: Saved[]; readonly databases: Saved[]; readonly claims: Saved[] };
let password: Record<string, string>;
let revision: number;

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  const former = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  const { kubectl } = former;
  const operatorThere = await startOperatorProcess({ environment: former.operatorEnvironment });
  await makeNamespace(kubectl, "shop");
  for (const name of ["orders", "lost"]) await kubectl.apply(database(name, "shop", { replicas: 2 }));
  for (const name of ["orders", "lost"]) await untilReady(kubectl, ["shop", name], minutes(2));
  await kubectl.apply(database("orders", "shop", { replicas: 3 }));
  await untilReady(kubectl, ["shop", "orders"], minutes(2));
  const kept = async (kinds: string, namespace: string, selector = ""): Promise<Saved[]> => {
    const objects: unknown = JSON.parse(await kubectl("get", kinds, "-n", namespace, "-l", selector, "-o", "json"));
    return z.object({ items: z.array(Saved) }).parse(objects).items;
  };
  saved = {
    records: await kept("secrets", operatorNamespace, "database.example.com/record"),
    databases: await kept("databases", "shop"),
    claims: await kept("persistentvolumeclaims", "shop", "database=orders"),
  };
  password = await readSecret(kubectl, "orders-credentials", "shop");
  revision = (await readDatabase(kubectl, "orders", "shop")).status.lastChange?.revision ?? 0;
  await operatorThere.stop();
  await former.stop();

  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  await makeNamespace(platform.kubectl, "shop");
  for (const object of [...saved.records, ...saved.claims, ...saved.databases]) await restore(platform.kubectl, object);
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const restore = (kubectl: Kubectl, object: Saved): Promise<string> => kubectl.input(object, "create", "-f", "-");

const claimsOf = async (name: string): Promise<string[]> =>
  (await platform.kubectl.list("pvc", { namespace: "shop", selector: `database=${name}` })).map(uidOf).sort();

test("with the operator's records, its volumes and itself restored, a Database is adopted: same volumes, passwords and history", async () => {
  const claims = await claimsOf("orders");
  assert.equal(claims.length, 4);
  await untilReady(platform.kubectl, ["shop", "orders"], minutes(2));
  assert.deepEqual(await claimsOf("orders"), claims);
  assert.deepEqual(await readSecret(platform.kubectl, "orders-credentials", "shop"), password);
  const { status } = await readDatabase(platform.kubectl, "orders", "shop");
  assert.equal(status.lastChange?.revision, revision + 1);
  assert.equal(runsIn(operator, "shop/orders"), 1);
});

test("without its volumes no empty ones are created, until it is deleted and created again", async () => {
  const place = ["shop", "lost"] as const;
  const stalled = { type: "Stalled", status: "True", reason: "VolumesLost" };
  const view = await untilCondition(platform.kubectl, place, stalled, minutes(1));
  assert.match(JSON.stringify(view.status.conditions), /delete the Database and create it again to start empty/);
  assert.deepEqual(await claimsOf("lost"), []);
  await platform.kubectl("delete", "database", "lost", "-n", "shop", "--wait=false");
  await untilGone(platform.kubectl, place, minutes(1));
  await platform.kubectl.apply(database("lost", "shop", { replicas: 2 }));
  await untilReady(platform.kubectl, place, minutes(2));
});
