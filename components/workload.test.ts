import assert from "node:assert/strict";
import test from "node:test";
import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { backupPodOf } from "./backup";
import { availableEngines } from "./engines/available";
import { postgresql } from "./engines/postgresql";
import { initPodOf } from "./initialization";
import { podSpecOf } from "./kubernetesx/pod-spec";
import type { Pod } from "./pod";
import { readOnlyServiceOf } from "./services";
import type { DatabaseOptions } from "./args";
import { settingsOf, type Settings } from "./settings";
import { dataClaimOf, memberPodOf, statefulSetOf } from "./workload";

const settingsWith = (wishes: Partial<DatabaseOptions> = {}): Settings =>
  settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1", ...wishes });

const pods: Readonly<Record<string, Pod>> = {
  member: memberPodOf(settingsWith(), postgresql),
  init: initPodOf(settingsWith(), postgresql),
  backup: backupPodOf(settingsWith(), postgresql),
};

const plain = <T>(value: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> =>
  new Promise((resolve) => void pulumi.output(value).apply(resolve));

for (const [title, pod] of Object.entries(pods)) {
  test(`the ${title} pod keeps the restricted pod security standard`, async () => {
    const spec = await plain(podSpecOf(pod));
    assert.equal(spec.securityContext?.runAsNonRoot, true);
    assert.equal(spec.securityContext.runAsUser, 999);
    assert.equal(spec.securityContext.fsGroupChangePolicy, "OnRootMismatch");
    assert.equal(spec.securityContext.seccompProfile?.type, "RuntimeDefault");
    for (const { securityContext } of spec.containers) {
      assert.equal(securityContext?.allowPrivilegeEscalation, false);
      assert.equal(securityContext.readOnlyRootFilesystem, true);
      assert.deepEqual(securityContext.capabilities?.drop, ["ALL"]);
    }
  });

  test(`the ${title} pod mounts only volumes that it has`, async () => {
    const spec = await plain(podSpecOf(pod));
    const volumes = [...(spec.volumes ?? []).map(({ name }) => name), ...(title === "member" ? ["data"] : [])];
    for (const { volumeMounts } of spec.containers) {
      for (const { name } of volumeMounts ?? []) assert.ok(volumes.includes(name), name);
    }
  });

  test(`the ${title} pod has no password in its spec`, async () => {
    for (const { env } of (await plain(podSpecOf(pod))).containers) {
      for (const { name, value } of env ?? []) {
        if (/PASS/.test(name)) assert.equal(value, undefined, name);
      }
    }
  });
}

for (const engine of availableEngines) {
  test(`each container of a ${engine.name} member can be told to stop from its first moment on`, () => {
    const { containers } = memberPodOf(settingsWith({ engine: engine.name }), engine);
    assert.ok(containers.length > 0);
    // the first process of a container does not get a signal that it does not handle yet
    for (const { name, command } of containers) assert.equal(command[0], "tini", name);
  });
}

test("the exporter connects to the application's database: it sees statistics of the tables there only", async () => {
  const { containers } = await plain(podSpecOf(memberPodOf(settingsWith(), postgresql)));
  const env = containers.find(({ name }) => name === "metrics")?.env ?? [];
  const source = env.find(({ name }) => name === "DATA_SOURCE_URI");
  assert.equal(source?.value, "localhost:5432/app?sslmode=disable");
});

test("only members get a token for the Kubernetes API", async () => {
  assert.equal((await plain(podSpecOf(pods["member"] as Pod))).automountServiceAccountToken, true);
  assert.equal((await plain(podSpecOf(pods["init"] as Pod))).automountServiceAccountToken, false);
  assert.equal((await plain(podSpecOf(pods["backup"] as Pod))).automountServiceAccountToken, false);
});

/** The spec of the StatefulSet for these wishes, in plain values. */
async function statefulSpecOf(
  wishes: Partial<DatabaseOptions>,
): Promise<pulumi.Unwrap<k8s.types.input.apps.v1.StatefulSetSpec>> {
  const { spec } = statefulSetOf(settingsWith(wishes), postgresql, { containers: [] });
  assert.ok(spec !== undefined);
  return plain(spec);
}

test("growing the storage changes the claims and not the StatefulSet that exists", async () => {
  const grown = { storage: "20Gi", claimTemplateStorage: "10Gi" };
  assert.deepEqual(await statefulSpecOf(grown), await statefulSpecOf({}));
  assert.notDeepEqual(dataClaimOf(settingsWith(grown), 0), dataClaimOf(settingsWith(), 0));
});

test("a parameter that needs a restart changes the pod template, and one that is reloaded does not", async () => {
  const template = async (config: Record<string, string>): Promise<unknown> =>
    (await statefulSpecOf({ config })).template;
  assert.deepEqual(await template({ work_mem: "9MB" }), await template({}));
  assert.notDeepEqual(await template({ max_connections: "300" }), await template({}));
});

test("members keep the template that is handed in, whatever the others say, and nothing else of the StatefulSet", async () => {
  const { template: kept, ...rest } = await statefulSpecOf({ config: { max_connections: "300" }, replicas: 2 });
  const another = { config: { max_connections: "400" }, replicas: 2, memberTemplate: kept };
  assert.deepEqual(await statefulSpecOf(another), { ...rest, template: kept });
});

test("the StatefulSet's controller restarts members unless the caller does, and the pods are the same either way", async () => {
  const [by, others] = [await statefulSpecOf({}), await statefulSpecOf({ updateStrategy: "OnDelete" })];
  assert.deepEqual([by.updateStrategy?.type, others.updateStrategy?.type], ["RollingUpdate", "OnDelete"]);
  assert.deepEqual(others.template, by.template);
});

test("with one member the read-only Service leads to the primary", async () => {
  const role = async (replicas: number): Promise<string | undefined> =>
    (await plain(readOnlyServiceOf(settingsWith({ replicas }), postgresql).spec ?? {})).selector?.["role"];
  assert.equal(await role(1), "primary");
  assert.equal(await role(2), "replica");
});
