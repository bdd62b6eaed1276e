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
import { changes } from "../input/changes";
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
    assert.match(
      await kubectl("get", "db", "-n", NAMESPACE, "-o", "wide"),
      /READY +PHASE +PRIMARY +ENDPOINT +PENDING +AGE/,
    );
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

/** Writes status as the operator does. */
const patchStatus = (name: string, status: unknown): Promise<string> => {
  const patch = JSON.stringify({ status });
  return kubectl("patch", "db", name, "-n", NAMESPACE, "--subresource=status", "--type=merge", "-p", patch);
};

proves(input.changes, async (t) => {
  for (const [index, [sentence, { from, runs, during, to, says }]] of Object.entries(changes).entries()) {
    await t.test(`${says === undefined ? "may change" : "cannot change"}: ${sentence}`, async () => {
      const name = `change-${index}`;
      await kubectl.apply(database(name, { ...smallest, ...from }));
      if (runs !== undefined) await patchStatus(name, { version: runs, ...(during && { upgrade: during }) });
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
    ["mysql", "9.7", ["moment of a bucket"]],
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
        "moment of a bucket": { s3: { ...bucket, credentials: { name: "s3" } }, pointInTime: moment },
      };
      for (const wish of refused)
        assert.match(
          await refusal(create(wishes[wish])),
          /s3 is for PostgreSQL and MySQL, .* pointInTime for PostgreSQL and MySQL|with s3, pointInTime is for PostgreSQL/,
        );
      if (engine !== "mysql") return;
      await create(wishes.moment);
      await create(wishes.bucket);
    });
});
