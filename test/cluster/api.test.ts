// What the API of Database promises, against a real API server: what it accepts, what it refuses and how, what kubectl prints.
import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { readdir } from "node:fs/promises";
import test, { after, before, suite } from "node:test";
import { z } from "zod";
import { parseDatabase } from "../../operator/api/object";
import { provideTools } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { progressTo } from "../../tools/progress";
import { kubectlFor, type Kubectl } from "../harness/kubectl";
import { beginnings, bucket, moment } from "../input/beginnings";
import { mistakes } from "../input/mistakes";
import { proves } from "../judges/reliability/case";
import { input } from "../judges/reliability/cases/input";

const ROOT = join(__dirname, "../..");
const NAMESPACE = "production";

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
  await kubectl("apply", "-f", join(ROOT, "infra/crds"));
  await kubectl("wait", "--for=condition=Established", "crd/databases.example.com", "--timeout=30s");
  await kubectl("create", "namespace", NAMESPACE);
});
after(async () => {
  await cluster.stop();
});

type Spec = Record<string, unknown>;

const smallest: Spec = { engine: "postgresql", version: "17.6" };
const database = (name: string, spec: Spec = smallest): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name, namespace: NAMESPACE },
  spec,
});

/** The error text of a kubectl call that must fail. */
async function refusal(call: Promise<string>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "it was accepted";
}

const WithSpec = z.looseObject({ spec: z.record(z.string(), z.unknown()) });

suite("what the documentation prints works as printed", () => {
  before(async () => {
    await kubectl.apply(
      database("my-postgres", { engine: "postgresql", version: "14.5", replicas: 3, storage: "100Gi" }),
    );
  });

  test("api-resources knows the short name", async () => {
    const line = (await kubectl("api-resources")).split("\n").find((found) => found.startsWith("databases "));
    assert.deepEqual(line?.split(/\s+/), ["databases", "db", "example.com/v1", "true", "Database"]);
  });

  test("a Database that the operator has not seen does not count as finished", async () => {
    const seen = ["get", "db", "my-postgres", "-n", NAMESPACE, "-o", "jsonpath={.status}"];
    assert.equal(await kubectl(...seen), '{"observedGeneration":-1}');
  });

  test("get crd shows it", async () => {
    assert.match(await kubectl("get", "crd", "databases.example.com", "-o", "yaml"), /storedVersions:\n\s+- v1$/);
  });

  test("a status patch through the subresource changes the status and not the spec, and Ready is shown", async () => {
    const before = WithSpec.parse(await kubectl.find("database", "my-postgres", NAMESPACE));
    const patch = ["--subresource=status", "--type=merge", "-p", '{"status":{"ready":true}}'];
    await kubectl("patch", "database", "my-postgres", "-n", NAMESPACE, ...patch);
    assert.deepEqual(WithSpec.parse(await kubectl.find("database", "my-postgres", NAMESPACE)).spec, before.spec);
    const [head = "", line = ""] = (await kubectl("get", "db", "-n", NAMESPACE, "my-postgres")).split("\n");
    assert.deepEqual(head.trim().split(/\s+/), ["NAME", "ENGINE", "VERSION", "REPLICAS", "READY", "AGE"]);
    assert.match(line, /^my-postgres +postgresql +14\.5 +3 +true +\d+s$/);
  });

  test("a write to the object does not change the status", async () => {
    await kubectl("patch", "db", "my-postgres", "-n", NAMESPACE, "--type=merge", "-p", '{"status":{"ready":false}}');
    assert.equal(await kubectl("get", "db", "my-postgres", "-n", NAMESPACE, "-o", "jsonpath={.status.ready}"), "true");
  });

  test("get databases, get db, get db -A, get -o wide and describe find it", async () => {
    assert.match(await kubectl("get", "databases", "-n", NAMESPACE), /^my-postgres /m);
    assert.match(await kubectl("get", "db", "-n", NAMESPACE), /^my-postgres /m);
    assert.match(await kubectl("get", "db", "-A"), new RegExp(`^${NAMESPACE} +my-postgres `, "m"));
    assert.match(await kubectl("get", "db", "-n", NAMESPACE, "-o", "wide"), /READY +PHASE +PRIMARY +ENDPOINT +AGE/);
    assert.match(await kubectl("describe", "database", "my-postgres", "-n", NAMESPACE), /Engine: +postgresql/);
  });

  test("get all includes it", async () => {
    assert.match(await kubectl("get", "all", "-n", NAMESPACE), /^database\.example\.com\/my-postgres /m);
  });

  test("edit changes it", async () => {
    // An editor that does what a person would: it is run by kubectl with the file as its argument.
    await kubectl("get", "db", "my-postgres", "-n", NAMESPACE);
    const editor = kubectlFor({
      KUBECONFIG: cluster.kubeconfig,
      PATH: process.env["PATH"] ?? "",
      KUBE_EDITOR: "sed -i s/100Gi/200Gi/",
    });
    await editor("edit", "database", "my-postgres", "-n", NAMESPACE);
    assert.equal(await kubectl("get", "db", "my-postgres", "-n", NAMESPACE, "-o", "jsonpath={.spec.storage}"), "200Gi");
  });

  test("scale changes the replicas, within their bounds", async () => {
    await kubectl("scale", "database", "my-postgres", "-n", NAMESPACE, "--replicas=5");
    assert.equal(await kubectl("get", "db", "my-postgres", "-n", NAMESPACE, "-o", "jsonpath={.spec.replicas}"), "5");
    const eleven = kubectl("scale", "database", "my-postgres", "-n", NAMESPACE, "--replicas=11");
    assert.match(await refusal(eleven), /spec\.replicas.*less than or equal to 10/);
  });

  test("autoscalers read members and selector from the scale subresource", async () => {
    const status = { replicas: 2, labelSelector: "app=database,database=my-postgres" };
    const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify({ status })];
    await kubectl("patch", "db", "my-postgres", "-n", NAMESPACE, ...patch);
    const path = `/apis/example.com/v1/namespaces/${NAMESPACE}/databases/my-postgres/scale`;
    const scale = z.object({ status: z.object({ replicas: z.number(), selector: z.string() }) });
    assert.deepEqual(scale.parse(JSON.parse(await kubectl("get", "--raw", path))).status, {
      replicas: 2,
      selector: status.labelSelector,
    });
  });

  test("delete removes it", async () => {
    await kubectl("delete", "database", "my-postgres", "-n", NAMESPACE);
    assert.equal(await kubectl.find("database", "my-postgres", NAMESPACE), undefined);
  });
});

test("the smallest Database gets the defaults that the parser gives it", async () => {
  await kubectl.apply(database("smallest"));
  const { spec } = WithSpec.parse(await kubectl.find("database", "smallest", NAMESPACE));
  const parsed = parseDatabase({ metadata: { name: "smallest", namespace: NAMESPACE, uid: "1" }, spec: smallest });
  assert.ok(parsed.ok);
  assert.deepEqual(spec, structuredClone(parsed.database.spec));
});

test("every example is accepted", async () => {
  const files = (await readdir(join(ROOT, "examples"))).filter((file) => file.endsWith(".yaml"));
  assert.ok(files.length >= 4, files.join());
  for (const file of files) {
    const dryRun = ["--dry-run=server", "--validate=strict", "-f", join(ROOT, "examples", file)];
    assert.match(await kubectl("create", ...dryRun), /created/, file);
  }
});

proves(input.mistakes, async (t) => {
  assert.equal(Object.keys(mistakes).length, 20);
  for (const [sentence, { name = "refused", spec, says }] of Object.entries(mistakes)) {
    await t.test(sentence, async () => {
      const text = await refusal(kubectl.apply(database(name, spec)));
      for (const part of says) assert.ok(text.includes(part), text);
    });
  }
});

const volume = (fields: Spec): Spec => ({ backup: { destination: { volume: fields } } });

const stored = (prefix: string | undefined, passphrase?: string): Spec => ({
  backup: {
    destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" }, prefix } },
    ...(passphrase !== undefined && { encryption: { secret: { name: passphrase } } }),
  },
});
const oneWay = "cannot be changed, added or removed where backups are already";

const changes: Record<string, { from: Spec; runs?: string; to: Spec; says?: string }> = {
  "the engine": { from: {}, to: { engine: "mysql" }, says: "cannot be changed: create another Database" },
  "below the version that runs": {
    ...{ from: { version: "17.10" }, runs: "17.10", to: { version: "17.9" } },
    says: "must not go below the version that runs",
  },
  "below the major version that runs": {
    ...{ from: { version: "17.1" }, runs: "17.1", to: { version: "9.24" } },
    says: "must stay within the major version that runs",
  },
  "above the major version that runs": {
    ...{ from: { version: "9.24" }, runs: "9.24", to: { version: "17.1" } },
    says: "must stay within the major version that runs",
  },
  "above the minor version that runs": { from: { version: "17.9" }, runs: "17.9", to: { version: "17.10" } },
  "back from a version that never ran": { from: { version: "17.99" }, runs: "17.9", to: { version: "17.9" } },
  "down while nothing runs": { from: { version: "17.9" }, to: { version: "14.5" } },
  "to no version": { from: { version: "17.6" }, runs: "17.6", to: { version: "17" }, says: "must be two numbers" },
  "to no size": { from: {}, to: { storage: "5GB" }, says: "must be whole gibibytes" },
  "less storage": {
    from: { storage: "100Gi" },
    to: { storage: "20Gi" },
    says: "must not shrink: write the current size",
  },
  "more storage": { from: { storage: "20Gi" }, to: { storage: "100Gi" } },
  "another storage class": {
    from: { storageClass: "fast" },
    to: { storageClass: "slow" },
    says: "cannot be changed, added or removed",
  },
  "a storage class added": { from: {}, to: { storageClass: "fast" }, says: "cannot be changed, added or removed" },
  "a storage class removed": { from: { storageClass: "fast" }, to: {}, says: "cannot be changed, added or removed" },
  "a smaller backup volume": { from: volume({ size: "50Gi" }), to: volume({ size: "40Gi" }), says: "must not shrink" },
  "a backup volume smaller than the default it has": { from: {}, to: volume({ size: "5Gi" }), says: "must not shrink" },
  "a backup volume back to a smaller default": { from: volume({ size: "50Gi" }), to: {}, says: "must not shrink" },
  "a larger backup volume": { from: volume({ size: "50Gi" }), to: volume({ size: "60Gi" }) },
  "another backup class": {
    from: volume({ storageClass: "slow" }),
    to: volume({ storageClass: "fast" }),
    says: "the backup volume's storageClass cannot be changed",
  },
  "a backup class added": { from: {}, to: volume({ storageClass: "slow" }), says: "the backup volume's storageClass" },
  "encryption added": { from: stored("a"), to: stored("a", "key"), says: oneWay },
  "encryption removed": { from: stored("a", "key"), to: stored("a"), says: oneWay },
  "another passphrase": { from: stored(undefined, "key"), to: stored(undefined, "other"), says: oneWay },
  "encryption added with another prefix": { from: stored(undefined), to: stored("a", "key") },
  "encryption removed with the prefix": { from: stored("a", "key"), to: stored(undefined) },
  "encryption that comes with object storage": { from: {}, to: stored("a", "key") },
  "encryption that goes with object storage": { from: stored("a", "key"), to: {} },
  "encryption of a volume": {
    from: {},
    to: { backup: { encryption: { secret: { name: "key" } } } },
    says: "a volume is encrypted by its StorageClass",
  },
  "fewer members than commits wait for": {
    from: { highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    to: { replicas: 2, highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    says: "must be less than replicas, as the primary does not count",
  },
  "commits that were synchronous by the only word of before": {
    from: { highAvailability: { synchronousCommit: true } },
    to: { highAvailability: { synchronousCommit: true, synchronous: { strict: true } } },
  },
  "everything else": {
    from: {},
    to: {
      replicas: 1,
      config: { max_connections: "200" },
      configFrom: { name: "shared" },
      resources: { limits: { memory: "1Gi" } },
      highAvailability: { synchronousCommit: true },
      backup: { enabled: false },
      monitoring: { enabled: false },
      deletionPolicy: "Delete",
      paused: true,
    },
  },
};

/** Writes status as the operator does. */
const patchStatus = (name: string, status: unknown): Promise<string> => {
  const patch = JSON.stringify({ status });
  return kubectl("patch", "db", name, "-n", NAMESPACE, "--subresource=status", "--type=merge", "-p", patch);
};

proves(input.changes, async (t) => {
  for (const [index, [sentence, { from, runs, to, says }]] of Object.entries(changes).entries()) {
    await t.test(`${says === undefined ? "may change" : "cannot change"}: ${sentence}`, async () => {
      const name = `change-${index}`;
      await kubectl.apply(database(name, { ...smallest, ...from }));
      if (runs !== undefined) await patchStatus(name, { version: runs });
      const call = kubectl.apply(database(name, { ...smallest, ...to }));
      if (says === undefined) assert.match(await call, /configured/);
      else {
        const text = await refusal(call);
        assert.ok(text.includes(says) && !text.includes("evaluation error"), text);
      }
    });
  }
});

test("conditions are one per type, whichever client writes them", async () => {
  await kubectl.apply(database("conditions"));
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Whatever",
    message: "",
    lastTransitionTime: "2026-11-21T10:00:00Z",
  };
  const patch = (conditions: unknown): Promise<string> => patchStatus("conditions", { conditions });
  await patch([condition]);
  assert.match(await refusal(patch([condition, condition])), /Duplicate value/);
  assert.match(await refusal(patch([{ ...condition, status: "Maybe" }])), /Unsupported value: "Maybe"/);
});

suite("what a Database begins with", () => {
  for (const [what, restore, says] of beginnings)
    test(`${what}: ${says === undefined ? "accepted" : says.source}`, async () => {
      const spec = { ...smallest, restore };
      const answer = kubectl.input(database("begins", spec), "create", "--dry-run=server", "-f", "-");
      if (says === undefined) await answer;
      else assert.match(await refusal(answer), says);
    });

  for (const [engine, version, refused] of [
    ["mysql", "9.7", ["bucket"]],
    ["mongodb", "7.0", ["bucket", "moment"]],
  ] as const)
    test(`${engine} begins with a backup, but with none of a ${refused.join(" or a ")}`, async () => {
      const create = (restore: unknown): Promise<string> => {
        const object = database("begins", { ...smallest, engine, version, restore });
        return kubectl.input(object, "create", "--dry-run=server", "-f", "-");
      };
      await create({ from: { name: "orders" } });
      const wishes = {
        bucket: { s3: { ...bucket, credentials: { name: "s3" } } },
        moment: { from: { name: "orders" }, pointInTime: moment },
      };
      for (const wish of refused)
        assert.match(
          await refusal(create(wishes[wish])),
          /s3 is for PostgreSQL, .* pointInTime for PostgreSQL and MySQL/,
        );
      if (engine === "mysql") await create(wishes.moment);
    });
});
