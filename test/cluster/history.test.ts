// The history of Databases against a real API server and operator; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { revisionResource } from "../../contract/resources";
import { mostRevisions } from "../../operator/api/revisions/limits";
import { freePorts } from "../../tools/host/ports";
import { untilCounted } from "../harness/at-rest";
import { database, readDatabase, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { kubectlFor, makeNamespace, readSecret, type Kubectl } from "../harness/kubectl";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import {
  kubeconfigOf,
  simulatedCatalogue,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";
import { deletePods } from "../harness/pods";
import { withoutWrites } from "../harness/preview";
import { recordedRevisions, untilRecorded } from "../harness/revisions";

const namespace = "shop";
const place = [namespace, "orders"] as const;
const kind = `${revisionResource.plural}.${revisionResource.group}`;

let platform: PlatformCluster;
let operator: OperatorProcess;
let environment: Readonly<Record<string, string>>;
let directory: string;
let editor: Kubectl;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  const [port] = await freePorts();
  directory = await mkdtemp(join(tmpdir(), "history-test-"));
  await makeNamespace(platform.kubectl, namespace);
  for (const role of ["view", "edit"]) {
    await platform.kubectl("create", "serviceaccount", role, "-n", namespace);
    const bound = [`--clusterrole=${role}`, `--serviceaccount=${namespace}:${role}`];
    await platform.kubectl("create", "rolebinding", role, "-n", namespace, ...bound);
  }
  const kubeconfig = join(directory, "edit");
  await writeFile(kubeconfig, await kubeconfigOf("edit", platform.kubectl, namespace), { mode: 0o600 });
  editor = kubectlFor({ ...platform.environment, KUBECONFIG: kubeconfig });
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  environment = {
    ...platform.operatorEnvironment,
    ...{ DATABASE_OPERATOR_WEBHOOK_PORT: String(port), DATABASE_OPERATOR_APPROVALS: "true" },
  };
  operator = await startOperatorProcess({ environment });
  await platform.kubectl.apply(orders());
  await untilReady(platform.kubectl, place, minutes(2));
  await untilRecorded(platform.kubectl, place, minutes(1));
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true });
});

const orders = (spec: Record<string, unknown> = {}): unknown =>
  database("orders", namespace, { replicas: 2, config: { work_mem: "8MB" }, ...spec });

test("a creation is the first revision: with the spec as it was carried out, and no password in it", async () => {
  const [first, ...others] = await recordedRevisions(platform.kubectl, place);
  assert.ok(first);
  assert.deepEqual([others.length, first.spec.revision, first.spec.origin], [0, 1, "Spec"]);
  const { spec, status } = await readDatabase(platform.kubectl, "orders", namespace);
  const { config, replicas } = z.object({ config: z.unknown(), replicas: z.number() }).parse(first.spec.template);
  assert.deepEqual([config, replicas], [{ work_mem: "8MB" }, spec.replicas]);
  assert.equal(status.lastChange?.name, first.metadata.name);
  const text = JSON.stringify(await platform.kubectl.list(kind, { namespace }));
  const { password } = await readSecret(platform.kubectl, "orders-credentials", namespace);
  assert.ok(password !== undefined && !text.includes(password));
});

test("an edit says who made it, what it changed, and what came of it; then nothing more is written", async () => {
  await editor.apply(orders({ config: { work_mem: "8MB", max_connections: "150" } }));
  await untilReady(platform.kubectl, place, minutes(2));
  const { spec, status } = await untilRecorded(platform.kubectl, place, minutes(1));
  assert.equal(spec.author, `system:serviceaccount:${namespace}:edit`);
  assert.deepEqual(spec.changes, [{ path: "spec.config.max_connections", after: "150" }]);
  assert.match(spec.restarts ?? "", /max_connections/);
  assert.equal(status.restarted, 2);
  const restarted = (status.incidents ?? []).filter((one) => one.kind === "Restarted").map(({ member }) => member);
  assert.deepEqual(restarted.sort(), ["orders-0", "orders-1"]);
  await untilCounted(platform.kubectl, place);
  await withoutWrites(platform.kubectl, [namespace], () => consistently(() => undefined, 5000));
});

test("a repair names who had changed what was put back", async () => {
  const [last] = await recordedRevisions(platform.kubectl, place);
  await editor(
    "patch",
    "service",
    "orders-ro",
    "-n",
    namespace,
    "--type=merge",
    "--field-manager=somebody",
    "-p",
    '{"spec":{"type":"NodePort"}}',
  );
  await eventually(async () => {
    const [newest] = await recordedRevisions(platform.kubectl, place);
    assert.ok(newest);
    assert.deepEqual([newest.spec.revision, newest.spec.origin], [(last?.spec.revision ?? 0) + 1, "Repair"]);
    assert.match(newest.spec.putBack?.join() ?? "", /Service orders-ro was edited by somebody: spec\.type/);
    assert.equal(newest.spec.manager, "somebody");
  }, minutes(1));
});

test("why a member has another pod is on record: a deletion, and an eviction", async () => {
  const causes: readonly (readonly [act: () => Promise<unknown>, why: RegExp])[] = [
    [
      () => platform.kubectl("delete", "pod", "orders-1", "-n", namespace, "--wait=false"),
      /its pod was deleted; by whom/,
    ],
    [
      () =>
        platform.kubectl.input(
          { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "orders-1", namespace } },
          ...["create", "--raw", `/api/v1/namespaces/${namespace}/pods/orders-1/eviction`, "-f", "-"],
        ),
      /EvictionByEvictionAPI/,
    ],
  ];
  for (const [act, why] of causes) {
    await untilReady(platform.kubectl, place, minutes(2));
    await act();
    await eventually(async () => {
      const [newest] = await recordedRevisions(platform.kubectl, place);
      const last = newest?.status.incidents?.at(-1);
      assert.deepEqual([last?.kind, last?.member], ["Restarted", "orders-1"]);
      assert.match(last?.why.join(" ") ?? "", why);
    }, minutes(2));
  }
});

test("what happened while no operator was there is told by the next one", async () => {
  await untilReady(platform.kubectl, place, minutes(2));
  const count = async (): Promise<number> =>
    (await recordedRevisions(platform.kubectl, place))[0]?.status.incidents?.length ?? 0;
  const before = await count();
  await operator.kill();
  await deletePods(platform.kubectl, namespace, ["orders-1"]);
  operator = await startOperatorProcess({ environment });
  await eventually(async () => {
    assert.ok((await count()) > before);
  }, minutes(2));
});

test("with operators killed right after edits, each number is there once, and none is missing", async () => {
  for (const size of ["9MB", "10MB", "11MB", "12MB"]) {
    await editor.apply(orders({ config: { work_mem: size, max_connections: "150" } }));
    const wanted = await eventually(async () => {
      const { status, metadata } = await readDatabase(platform.kubectl, "orders", namespace);
      assert.equal(status.observedGeneration, metadata.generation);
      return status.lastChange?.revision ?? 0;
    }, minutes(1));
    await operator.kill();
    operator = await startOperatorProcess({ environment });
    await eventually(async () => {
      const numbers = (await recordedRevisions(platform.kubectl, place)).map(({ spec }) => spec.revision);
      assert.ok((numbers[0] ?? 0) >= wanted);
      assert.deepEqual(
        numbers,
        Array.from({ length: numbers.length }, (_, index) => (numbers[0] ?? 0) - index),
      );
    }, minutes(1));
  }
});

test("view may read the history and edit may not write it", async () => {
  for (const role of ["view", "edit"]) {
    const may = async (verb: string): Promise<string> =>
      (
        await platform
          .kubectl("auth", "can-i", verb, kind, "-n", namespace, `--as=system:serviceaccount:${namespace}:${role}`)
          .catch(() => "no")
      ).trim();
    assert.deepEqual([await may("get"), await may("list"), await may("watch")], ["yes", "yes", "yes"], role);
    for (const verb of ["create", "update", "patch", "delete", "deletecollection"])
      assert.equal(await may(verb), "no", `${role} ${verb}`);
  }
});

test("the oldest go where there are too many", async () => {
  for (let edit = 0; edit < mostRevisions; edit++) {
    const { status } = await readDatabase(platform.kubectl, "orders", namespace);
    await editor.apply(orders({ config: { work_mem: `${20 + edit}MB`, max_connections: "150" } }));
    await eventually(async () => {
      const now = await readDatabase(platform.kubectl, "orders", namespace);
      assert.ok((now.status.lastChange?.revision ?? 0) > (status.lastChange?.revision ?? 0));
    }, minutes(1));
  }
  const { spec } = await untilRecorded(platform.kubectl, place, minutes(1));
  await eventually(async () => {
    const numbers = (await recordedRevisions(platform.kubectl, place)).map(({ spec }) => spec.revision);
    assert.deepEqual(
      numbers,
      Array.from({ length: mostRevisions }, (_, index) => spec.revision - index),
    );
  }, minutes(1));
});

test("it goes with its Database, and another one of the name begins at 1", async () => {
  await platform.kubectl("delete", "database", "orders", "-n", namespace, "--wait=false");
  await untilGone(platform.kubectl, place, minutes(2));
  await platform.kubectl.apply(orders());
  await untilReady(platform.kubectl, place, minutes(2));
  await untilRecorded(platform.kubectl, place, minutes(1));
  await eventually(async () => {
    const found = await recordedRevisions(platform.kubectl, place);
    assert.deepEqual(
      found.map(({ spec }) => spec.revision),
      [1],
    );
  }, minutes(2));
});

test("without the kind Databases work as before, and it is made use of once it is there", async () => {
  const manifest = await platform.kubectl("get", "crd", kind, "-o", "json");
  await platform.kubectl("delete", "crd", kind);
  await platform.kubectl.apply(orders({ config: { work_mem: "9MB" } }));
  await untilReady(platform.kubectl, place, minutes(2));
  const Definition = z.object({ metadata: z.object({ name: z.string() }), spec: z.unknown() });
  const { metadata, spec } = Definition.parse(JSON.parse(manifest));
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: metadata.name },
    spec,
  };
  await platform.kubectl.input(body, "create", "-f", "-");
  await platform.kubectl("wait", "--for=condition=Established", `crd/${kind}`, "--timeout=30s");
  await platform.kubectl.apply(orders({ config: { work_mem: "10MB" } }));
  await eventually(async () => {
    const [newest] = await recordedRevisions(platform.kubectl, place);
    assert.deepEqual(newest?.spec.template?.["config"], { work_mem: "10MB" });
  }, minutes(2));
});
