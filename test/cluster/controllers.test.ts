// Controllers that know nothing of Databases beside the operator: GitOps tools, autoscalers, and what judges by kstatus; nodes
// are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { fieldManager } from "../../components/naming";
import { run } from "../../tools/host/command";
import { DatabaseView, namespaceWithShop, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { kstatusOf, type Kstatus } from "../harness/kstatus";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

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
const edit = (namespace: string, spec: Record<string, unknown>): Promise<string> =>
  kubectl("patch", "db", "shop", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec }));

const ManagedFields = z.object({
  metadata: z.object({
    managedFields: z.array(z.object({ manager: z.string(), fieldsV1: z.record(z.string(), z.unknown()) })),
  }),
});

/** Fields of the spec that each manager owns, by manager. */
async function ownersOfSpec(namespace: string): Promise<Record<string, string[]>> {
  const [shop] = await platform.kubectl.list("db", { namespace, fields: "metadata.name=shop", managedFields: true });
  const { managedFields } = ManagedFields.parse(shop).metadata;
  const owned = managedFields.flatMap(({ manager, fieldsV1 }) => {
    const fields = Object.keys(z.record(z.string(), z.unknown()).parse(fieldsV1["f:spec"] ?? {}));
    return fields.length === 0 ? [] : [[manager, fields.map((field) => field.slice(2)).sort()] as const];
  });
  return Object.fromEntries(owned);
}

test("two managers apply their own fields on the server, see conflicts, and the operator takes none", async () => {
  const namespace = await makeNamespace(platform.kubectl, "shared");
  const apply = (manager: string, spec: Record<string, unknown>): Promise<string> => {
    const metadata = { name: "shop", namespace };
    const object = { apiVersion: "example.com/v1", kind: "Database", metadata, spec };
    const args = ["apply", "--server-side", `--field-manager=${manager}`, "-f", "-"];
    return run("kubectl", args, { env: platform.environment, input: JSON.stringify(object) });
  };
  const base = { engine: "postgresql", version: "17.6" };
  await apply("gitops", { ...base, config: { work_mem: "8MB" } });
  await apply("capacity", { ...base, replicas: 2 });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const conflict = /conflict with "capacity": \.spec\.replicas/;
  await assert.rejects(apply("gitops", { ...base, config: { work_mem: "8MB" }, replicas: 5 }), conflict);
  // a field that its only owner no longer names goes, and the other's stays
  await apply("gitops", base);
  const view = await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  assert.deepEqual([view.spec.replicas, view.spec["config"]], [2, undefined]);
  assert.deepEqual(await ownersOfSpec(namespace), {
    gitops: ["engine", "version"],
    capacity: ["engine", "replicas", "version"],
  });
  assert.ok(!(fieldManager in (await ownersOfSpec(namespace))));
});

const Autoscaler = z.object({
  status: z.object({
    currentReplicas: z.number(),
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() })),
  }),
});

test("kubectl autoscale makes an autoscaler that finds the members and moves them into its bounds", async () => {
  const namespace = await namespaceWithShop(platform.kubectl, "scaled-by-itself", { replicas: 1 });
  await kubectl("autoscale", "db", "shop", "-n", namespace, "--min=2", "--max=3", "--cpu=80%");
  await eventually(async () => {
    const found = Autoscaler.parse(await platform.kubectl.find("hpa", "shop", namespace)).status;
    const able = found.conditions.find(({ type }) => type === "AbleToScale");
    assert.deepEqual([able?.status, found.currentReplicas], ["True", 2], JSON.stringify(found));
  }, minutes(2));
  const view = await untilReady(platform.kubectl, [namespace, "shop"], minutes(1));
  assert.deepEqual([view.spec.replicas, view.status.readyReplicas], [2, 2]);
  assert.deepEqual((await ownersOfSpec(namespace))["kube-controller-manager"], ["replicas"]);
});

test("kstatus says InProgress during a change, Failed where a person must act, and Current at rest only", async () => {
  const namespace = await namespaceWithShop(platform.kubectl, "judged", { replicas: 1 });
  const place = [namespace, "shop"] as const;
  const watch = new AbortController();
  const versions = platform.kubectl.follow({ kind: "database", name: "shop", namespace }, watch.signal);
  const first = (await versions.next()).value;
  // every version from the first on, to the last
  const course = (async () => {
    const seen: unknown[] = [first];
    for await (const object of versions) {
      if (object === undefined) break;
      seen.push(object);
    }
    return seen;
  })();
  await edit(namespace, { replicas: 3 });
  await untilReady(platform.kubectl, place, minutes(1));
  await edit(namespace, { version: "17.99" });
  await untilCondition(platform.kubectl, place, { type: "Stalled", status: "True", reason: "VersionUnavailable" });
  await edit(namespace, { version: "17.6", replicas: 2 });
  await untilReady(platform.kubectl, place, minutes(1));
  await kubectl("delete", "db", "shop", "-n", namespace, "--timeout=60s");
  const seen = await course;
  const turns: Kstatus[] = ["Current", "InProgress", "Current", "InProgress", "Failed", "InProgress", "Current"];
  assert.deepEqual(turnsOf(seen.map(kstatusOf)), [...turns, "Terminating"]);
  for (const { spec, status } of seen.filter((object) => kstatusOf(object) === "Current").map(viewOf))
    assert.deepEqual([status.ready, status.replicas, status.readyReplicas], [true, spec.replicas, spec.replicas]);
});

const viewOf = (object: unknown): DatabaseView => DatabaseView.parse(object);

/** Without repetitions of the one before. */
const turnsOf = (all: readonly Kstatus[]): Kstatus[] => all.filter((status, index) => status !== all[index - 1]);
