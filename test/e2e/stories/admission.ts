// The webhooks on the path that the API server takes in a cluster, through their Service: v1beta1, refusals, warnings, certificates,
// and what works without them. The operator is a process of this machine, to which the Service leads.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { bundleOf, secretDataOf } from "../../../operator/certificates/certificate-set";
import { issueAuthority } from "../../../operator/certificates/issue";
import { webhookTerms } from "../../../operator/certificates/rotation";
import { ApiError, openApi, type KubernetesApi } from "../../../tools/cluster/api";
import { freePorts } from "../../../tools/host/ports";
import type { Catalogue } from "../../../tools/images/catalogue";
import { builtVersion } from "../../harness/built-versions";
import { database, untilCondition, untilGone } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askSteadily } from "../../harness/steady-requests";
import type { Kubectl } from "../../harness/kubectl";
import { catalogueMap } from "../../../contract/platform";
import { bundlesIn, certificates, certificatesIn, installWebhooks } from "../../harness/installed-webhooks";
import { rotatingStory } from "../story";

const operatorNamespace = "database-operator-system";
const namespace = "admission";
const crdName = "databases.example.com";

export const admission = rotatingStory("admission", 11, (stage) => {
  /** A version whose image is nowhere: no member ever starts, and nothing has to end before it goes. */
  const nowhere = "17.0";
  let kubectl: Kubectl;
  let api: KubernetesApi;
  let version: string;
  let port: number;

  before(async () => {
    const { platform } = stage;
    kubectl = stage.kubectl;
    ({ version } = builtVersion(platform, "postgresql"));
    api = await openApi(platform.cluster.kubeconfig);
    [port] = await freePorts();
    await addNowhere(platform.catalogue);
    await installWebhooks(platform, port);
    await stage.operator.stop();
    await startWithWebhooks();
    await untilConverted();
  });
  after(() => {
    api.close();
  });

  async function addNowhere(catalogue: Catalogue): Promise<void> {
    const changed = {
      ...catalogue,
      postgresql: { ...catalogue.postgresql, [nowhere]: { image: "nowhere.invalid/it:1" } },
    };
    const patch = JSON.stringify({ data: { [catalogueMap.key]: JSON.stringify(changed) } });
    await kubectl("patch", "configmap", catalogueMap.name, "-n", operatorNamespace, "-p", patch);
  }

  const change = (name: string, patch: string): Promise<string> =>
    kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", patch);

  const startWithWebhooks = (): Promise<void> => stage.operator.start({ DATABASE_OPERATOR_WEBHOOK_PORT: String(port) });

  /** Server-side apply as `manager`. */
  const serverSide = (object: unknown, manager: string, ...args: string[]): Promise<string> =>
    kubectl.input(object, "apply", "--server-side", "--field-manager", manager, ...args, "-f", "-");

  const betaPath = `/apis/example.com/v1beta1/namespaces/${namespace}/databases`;

  /** Waits until the API server converts and knows the webhook that judges. */
  async function untilConverted(): Promise<void> {
    await eventually(async () => {
      await api.request("POST", `${betaPath}?dryRun=All`, beta("probe"));
    }, minutes(1));
    await eventually(async () => {
      const wrong = database("probe", namespace, { version: "99.1" });
      await assert.rejects(kubectl.input(wrong, "apply", "--dry-run=server", "-f", "-"), /the catalogue has no/);
    }, minutes(1));
  }

  /** A Database as v1beta1 has it. */
  const beta = (name: string, spec: Record<string, unknown> = {}): object => ({
    apiVersion: "example.com/v1beta1",
    kind: "Database",
    metadata: { name, namespace },
    // nothing runs for it: most tests are about the object alone
    spec: { dbType: "postgresql", version, paused: true, ...spec },
  });

  const View = z.object({
    apiVersion: z.string(),
    metadata: z.object({
      managedFields: z
        .array(z.object({ manager: z.string(), apiVersion: z.string(), fieldsV1: z.record(z.string(), z.unknown()) }))
        .default([]),
    }),
    spec: z.looseObject({ replicas: z.number() }),
  });

  const readAs = async (version: "v1" | "v1beta1", name: string): Promise<z.infer<typeof View>> =>
    View.parse(
      JSON.parse(
        await kubectl(
          "get",
          `databases.${version}.example.com`,
          name,
          "-n",
          namespace,
          "-o",
          "json",
          "--show-managed-fields",
        ),
      ),
    );

  test("applied as v1beta1 it is read as v1, changed as v1 and read as v1beta1", async () => {
    await kubectl.apply(beta("both", { config: { work_mem: "8MB" } }));
    const stored = await readAs("v1", "both");
    assert.equal(stored.apiVersion, "example.com/v1");
    assert.equal(stored.spec["engine"], "postgresql");
    assert(!("dbType" in stored.spec));
    await kubectl(
      "patch",
      "databases.v1.example.com",
      "both",
      "-n",
      namespace,
      "--type=merge",
      "-p",
      '{"spec":{"replicas":5}}',
    );
    const back = await readAs("v1beta1", "both");
    assert.equal(back.apiVersion, "example.com/v1beta1");
    const { engine, ...rest } = stored.spec;
    assert.deepEqual(back.spec, { ...rest, dbType: engine, replicas: 5 });
    const pattern = version.replace(".", "\\.");
    const listed = await kubectl("get", "databases.v1beta1.example.com", "-n", namespace, "-o", "wide");
    assert.match(listed, new RegExp(`ENGINE.*\\n.*both +postgresql +${pattern} +5`));
  });

  test("kubectl explains both versions, each with its own name for the engine", async () => {
    const explained = await kubectl("explain", "databases.spec", "--api-version=example.com/v1beta1");
    assert.match(explained, /dbType\t<string> -required-[\s\S]*The database engine/);
    assert.doesNotMatch(explained, /^ +engine\t/m);
    assert.match(await kubectl("explain", "databases.spec", "--api-version=example.com/v1"), /engine\t<string>/);
  });

  test("the rules hold in v1beta1, under its names", async () => {
    await assert.rejects(kubectl.apply(beta("bad", { dbType: "oracle" })), /spec\.dbType: Unsupported value: "oracle"/);
    await kubectl.apply(beta("fixed"));
    await assert.rejects(kubectl.apply(beta("fixed", { dbType: "mysql" })), /spec\.dbType: .*cannot be changed/);
  });

  /** A Database that was written as v1beta1 before, as v1. */
  const bobs = (spec: Record<string, unknown>): unknown => ({
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: { name: "shared", namespace },
    spec: { engine: "postgresql", version, deletionPolicy: "Delete", ...spec },
  });

  test("two managers apply in different versions: each keeps its fields, and conflicts name who holds them", async () => {
    await serverSide(beta("shared", { replicas: 3 }), "alice");
    await serverSide(bobs({}), "bob");
    const { metadata } = await readAs("v1", "shared");
    const fieldsOf = (manager: string): unknown =>
      metadata.managedFields.find((entry) => entry.manager === manager)?.fieldsV1["f:spec"];
    assert.deepEqual(fieldsOf("alice"), { "f:dbType": {}, "f:paused": {}, "f:replicas": {}, "f:version": {} });
    assert.deepEqual(fieldsOf("bob"), { "f:deletionPolicy": {}, "f:engine": {}, "f:version": {} });
    await assert.rejects(serverSide(bobs({ replicas: 2 }), "bob"), /conflict with "alice".*: \.spec\.replicas/);
    await serverSide(beta("shared"), "alice");
    const { spec } = await readAs("v1", "shared");
    assert.deepEqual([spec.replicas, spec["deletionPolicy"], spec["engine"]], [3, "Delete", "postgresql"]);
  });

  test("what other objects decide is refused with what to write, and a dry run says the same", async () => {
    const pattern = version.replace(".", "\\.");
    const unknown = database("refused", namespace, { version: "99.1" });
    await assert.rejects(
      kubectl.apply(unknown),
      new RegExp(`the catalogue has no postgresql 99\\.1; available: (.+, )?${pattern}\\b`),
    );
    await assert.rejects(
      kubectl.apply(beta("refused", { version: "99.1" })),
      new RegExp(`available: (.+, )?${pattern}\\b`),
    );
    await assert.rejects(
      serverSide(unknown, "alice", "--dry-run=server"),
      new RegExp(`available: (.+, )?${pattern}\\b`),
    );
    await kubectl("create", "configmap", "tuning", "-n", namespace, "--from-literal=archive_command=rm");
    const tuned = database("refused", namespace, { version, configFrom: { name: "tuning" } });
    await assert.rejects(
      kubectl.apply(tuned),
      /spec\.configFrom \(ConfigMap tuning\): .*"archive_command" cannot be set/,
    );
    assert.equal(await kubectl.find("database", "refused", namespace), undefined);
  });

  test("a volume that cannot grow is not asked to", async () => {
    await kubectl.apply({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "rigid" },
      provisioner: "example.com/none",
    });
    const wanted = (storage: string): unknown =>
      database("rigid", namespace, {
        version: nowhere,
        replicas: 2,
        storage,
        storageClass: "rigid",
        deletionPolicy: "Delete",
      });
    await kubectl.apply(wanted("1Gi"));
    await eventually(async () => {
      assert.notEqual(await kubectl.find("pvc", "data-rigid-0", namespace), undefined);
    }, minutes(1));
    await assert.rejects(
      kubectl.apply(wanted("2Gi")),
      /spec\.storage: StorageClass rigid does not let volumes grow: leave .* 1Gi/,
    );
    await kubectl("delete", "database", "rigid", "-n", namespace);
  });

  test("what is allowed but likely a mistake is let through with a warning", async () => {
    const strict = (spec: Record<string, unknown>): Promise<string> =>
      kubectl.input(
        database("warned", namespace, { version, paused: true, ...spec }),
        ...["apply", "--dry-run=server", "--warnings-as-errors", "-f", "-"],
      );
    await strict({});
    await assert.rejects(strict({ replicas: 1 }), /Warning: spec\.replicas: with 1 there is no failover/);
    await assert.rejects(
      strict({ configFrom: { name: "nowhere" } }),
      /Warning: .*ConfigMap nowhere, which does not exist/,
    );
    await assert.rejects(strict({ storageClass: "fastt" }), /Warning: .*there is no StorageClass fastt yet/);
    // any pod could ask the same, so the answer says nothing about Secrets
    const s3 = { bucket: "backups", endpoint: "https://s3.example.com", credentials: { name: "nowhere" } };
    await strict({ backup: { destination: { s3 } } });
    const bare = { backup: { enabled: false }, deletionPolicy: "Delete" };
    await assert.rejects(strict(bare), /Warning: .*without backups, deleting this Database destroys its data/);
  });

  /** Reads and writes through the webhooks. */
  async function askBoth(): Promise<void> {
    await patiently(() => api.request("GET", betaPath));
    await patiently(() => api.request("POST", `${betaPath}?dryRun=All`, beta("probe")));
  }

  /** As every client of Kubernetes: a custom resource that was changed is "(re)initializing" for a moment, and asked again. */
  function patiently(ask: () => Promise<unknown>): Promise<unknown> {
    return ask().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 429) return patiently(ask);
      throw error;
    });
  }

  test("authority and certificate change while requests continue: none fails, and the operator is not restarted", async () => {
    const before = await certificatesIn(kubectl);
    const requests = askSteadily(askBoth);
    try {
      await requests.untilAnswered();
      // an authority that has been trusted for nearly as long as one must be before it signs
      const next = await issueAuthority(webhookTerms, new Date(Date.now() - webhookTerms.settleMs + 8_000));
      const data = JSON.stringify({
        stringData: secretDataOf({ ...before, authorities: [...before.authorities, next] }),
      });
      await kubectl("patch", "secret", certificates, "-n", operatorNamespace, "-p", data);
      await eventually(async () => {
        const { serving } = await certificatesIn(kubectl);
        assert.notEqual(serving.certificate, before.serving.certificate);
      }, minutes(1));
      await requests.untilAnswered();
    } finally {
      await requests.end();
    }
    const now = await certificatesIn(kubectl);
    assert.equal(now.authorities.length, 2);
    assert.deepEqual(await bundlesIn(kubectl), [bundleOf(now), bundleOf(now)]);
  });

  test("an authority that another client removes comes back, and new connections trust the new certificate", async () => {
    const [expected] = await bundlesIn(kubectl);
    const remove = (path: string): string => JSON.stringify([{ op: "remove", path }]);
    await kubectl(
      "patch",
      "crd",
      crdName,
      "--type=json",
      "-p",
      remove("/spec/conversion/webhook/clientConfig/caBundle"),
    );
    const own = ["patch", "validatingwebhookconfiguration", "database-operator", "--type=json", "-p"];
    await kubectl(...own, remove("/webhooks/0/clientConfig/caBundle"));
    await eventually(async () => {
      assert.deepEqual(await bundlesIn(kubectl), [expected, expected]);
    });
    await untilConverted();
  });

  test("without the operator v1, deletion, finalizers and other kinds keep working; v1beta1 says why it does not", async () => {
    await kubectl.apply(beta("held", { paused: true }));
    await change("held", '{"metadata":{"finalizers":["example.com/held"]}}');
    await kubectl.apply(beta("mixed", { version: nowhere, paused: false, replicas: 2, deletionPolicy: "Delete" }));
    await untilCondition(kubectl, [namespace, "mixed"], { type: "Reconciling", status: "True" }, minutes(1));
    await stage.operator.kill();
    await kubectl.apply(database("unjudged", namespace, { version: "99.1", paused: true }));
    await change("unjudged", '{"spec":{"replicas":2}}');
    await kubectl("scale", "database", "unjudged", "-n", namespace, "--replicas=4");
    await kubectl("delete", "database", "unjudged", "-n", namespace);
    await kubectl("delete", "database", "held", "-n", namespace, "--wait=false");
    await change("held", '{"metadata":{"finalizers":null}}');
    await untilGone(kubectl, [namespace, "held"]);
    await kubectl("create", "configmap", "other", "-n", namespace);
    // server-side apply compares in the versions in which others have written
    await assert.rejects(serverSide(bobs({}), "bob"), /conversion webhook/);
    await assert.rejects(kubectl.apply(beta("later")), /conversion webhook for example\.com\/v1beta1.* failed/);
  });

  test("an operator whose webhooks are out of reach keeps working on what was written as v1beta1, to its end", async () => {
    await stage.operator.stop();
    await stage.operator.start();
    await kubectl("delete", "database", "mixed", "-n", namespace, "--timeout=90s");
    await stage.operator.stop();
    await startWithWebhooks();
    await eventually(async () => {
      await kubectl.apply(beta("later"));
    });
    await kubectl("delete", "databases", "--all", "-n", namespace, "--timeout=120s");
  });
});
