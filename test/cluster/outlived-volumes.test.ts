// Volumes that outlive the namespace of their Database by their reclaim policy: what becomes of the passwords in their data. Nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { credentialsSecretName, dataClaimName, systemSecretName } from "../../components/naming";
import { untilGone, untilReady } from "../harness/database";
import { Deletions, type Place } from "../harness/deletions";
import { minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

let platform: PlatformCluster;
let operator: OperatorProcess;
let databases: Deletions;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  databases = new Deletions(platform.kubectl);
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);

const volumeOf = ([namespace, name]: Place): unknown => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: `of-${namespace}` },
  spec: {
    ...{ capacity: { storage: "10Gi" }, accessModes: ["ReadWriteOnce"], persistentVolumeReclaimPolicy: "Retain" },
    ...{ hostPath: { path: "/nowhere" }, claimRef: { namespace, name: dataClaimName(name, 0) } },
  },
});

/** The Secrets in which passwords are kept whose namespace is gone, of this one. */
const keptOf = async (namespace: string): Promise<string[]> => {
  const label = "database.example.com/record=former-credentials";
  const names = await kubectl("get", "secret", "-n", "database-operator-system", "-l", label, "-o", "name");
  return names.split("\n").filter((name) => name.includes(`.${namespace}.`));
};

for (const isFirst of ["the Database", "the namespace"]) {
  test(`where a volume stays, so do its passwords, for a person to hand out (${isFirst} is deleted first)`, async () => {
    const place = await databases.place(`outlived-${isFirst.replace("the ", "").toLowerCase()}`);
    const [namespace, name] = place;
    const passwords = async (): Promise<string[]> => {
      await databases.apply(place, { deletionPolicy: "Retain", replicas: 1 });
      await untilReady(platform.kubectl, place, minutes(2));
      const [app, system] = await Promise.all(
        [credentialsSecretName(name), systemSecretName(name)].map((secret) =>
          readSecret(platform.kubectl, secret, namespace),
        ),
      );
      return [app?.["password"] ?? "", ...Object.values(system ?? {})].sort();
    };
    const endNamespace = async (): Promise<void> => {
      await kubectl("delete", "namespace", namespace, "--timeout=60s");
      await makeNamespace(platform.kubectl, namespace);
    };
    await platform.kubectl.apply(volumeOf(place));
    const former = await passwords();
    if (isFirst === "the Database") {
      await databases.remove(place);
      await untilGone(platform.kubectl, place, minutes(1));
    }
    await endNamespace();
    // the Database that has the name now gets other ones
    const others = await passwords();
    assert.deepEqual(
      others.filter((password) => former.includes(password)),
      [],
    );
    const [kept = "", ...more] = await keptOf(namespace);
    assert.deepEqual(more, []);
    await endNamespace();
    assert.equal((await keptOf(namespace)).length, 2);
    await handOut(kept.replace("secret/", ""), place);
    assert.deepEqual(await passwords(), former);
    await kubectl("delete", "pv", `of-${namespace}`);
    await endNamespace();
    assert.deepEqual(await keptOf(namespace), []);
  });
}

/** As docs/platform/disaster-recovery.md describes it: a claim that must have the volume, and the passwords under the Database's name. */
async function handOut(secret: string, [namespace, name]: Place): Promise<void> {
  await platform.kubectl.apply({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...{ name: dataClaimName(name, 0), namespace },
      labels: { app: "database", database: name, "app.kubernetes.io/managed-by": "database-operator" },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
  });
  const { data } = z
    .object({ data: z.record(z.string(), z.string()) })
    .parse(await platform.kubectl.find("secret", secret, "database-operator-system"));
  await platform.kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...{ name: `credentials.${namespace}.${name}`, namespace: "database-operator-system" },
      labels: { "app.kubernetes.io/managed-by": "database-operator", "database.example.com/record": "credentials" },
    },
    data,
  });
}
