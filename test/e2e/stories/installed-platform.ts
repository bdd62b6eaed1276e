// What `pulumi up` with an image gives people, as they meet it with kubectl on a real node: both versions of the API, refusals and
// warnings, previews on the server, companions, scaling, waiting, metrics; the operator and its webhooks run in the cluster.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { before } from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import { run } from "../../../tools/host/command";
import { projectRoot } from "../../../tools/platform/platform";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { eventually, minutes } from "../../harness/eventually";
import { leadingPod, operatorPods } from "../../harness/operator-pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { modestDatabase, story } from "../story";

const system = "database-operator-system";
const namespace = "installed";

export const installedPlatform = story(namespace, (stage) => {
  let built: BuiltVersion;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    await eventually(() => leadingPod(stage.kubectl), minutes(2));
  });

  const kubectl = (...args: string[]): Promise<string> => stage.kubectl(...args);
  const inNamespace = (...args: string[]): Promise<string> => kubectl(...args, "-n", namespace);

  /** The smallest Database of the catalogue's version, as v1beta1 has it. */
  const beta = (name: string, spec: Record<string, unknown> = {}): object => ({
    apiVersion: "example.com/v1beta1",
    kind: "Database",
    metadata: { name, namespace },
    spec: {
      dbType: "postgresql",
      version: built.version,
      replicas: 1,
      storage: "1Gi",
      deletionPolicy: "Delete",
      ...spec,
    },
  });

  /** An example with what a small node can carry. */
  async function example(file: string, spec: Record<string, unknown>): Promise<unknown> {
    const Example = z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({}) });
    const { metadata, ...rest } = Example.parse(parse(await readFile(join(projectRoot, "examples", file), "utf8")));
    return { ...rest, metadata: { ...metadata, namespace }, spec: { ...rest.spec, ...spec } };
  }

  const ask = (name: string, statement: string): Promise<string> =>
    new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image }).ask(statement);

  const ready = (resource: string): Promise<string> =>
    inNamespace("wait", "--for=condition=Ready", resource, "--timeout=240s");

  test("a Database applied as v1beta1 is there as v1, and becomes a database that answers", async () => {
    // the API server asks the webhook once it knows its authority
    await eventually(() => stage.kubectl.apply(beta("orders")), minutes(1));
    assert.equal(
      await inNamespace("get", "databases.v1.example.com", "orders", "-o=jsonpath={.spec.engine}"),
      "postgresql",
    );
    assert.equal(
      await inNamespace("get", "databases.v1beta1.example.com", "orders", "-o=jsonpath={.spec.dbType}"),
      "postgresql",
    );
    await ready("db/orders");
    assert.equal(await ask("orders", "select 6 * 7"), "42");
  });

  test("a version that the catalogue lacks is refused with those that it has, also in a dry run", async () => {
    const wrong = modestDatabase("wrong", namespace, { version: "9.6" });
    // until the webhook is in force the one that is only tried leaves nothing behind
    await eventually(async () => {
      const tried = stage.kubectl.input(wrong, "apply", "--dry-run=server", "-f", "-");
      await assert.rejects(tried, /the catalogue has no/);
    }, minutes(1));
    await assert.rejects(stage.kubectl.apply(wrong), (error: unknown) => String(error).includes(built.version));
    assert.equal(await stage.kubectl.find("database", "wrong", namespace), undefined);
  });

  test("what is allowed but likely a mistake gets a warning", async () => {
    const risky = modestDatabase("risky", namespace, {
      version: built.version,
      deletionPolicy: "Delete",
      backup: { enabled: false },
    });
    const said: string[] = [];
    await run("kubectl", ["apply", "--dry-run=server", "-f", "-"], {
      ...{ env: stage.platform.environment, input: JSON.stringify(risky) },
      log: (line) => {
        said.push(line);
      },
    });
    assert.match(said.join("\n"), /^Warning: .+/m);
    assert.match(said.join("\n"), /created \(server dry run\)/);
  });

  test("explain describes both versions", async () => {
    assert.match(await kubectl("explain", "database.spec.engine"), /DESCRIPTION:\n +\S+/);
    assert.match(
      await kubectl("explain", "database.spec.dbType", "--api-version=example.com/v1beta1"),
      /DESCRIPTION:\n +\S+/,
    );
  });

  test("get, get all and describe show it with its children and what happened", async () => {
    assert.match(
      await inNamespace("get", "db", "-o", "wide"),
      /^NAME .*PRIMARY +ENDPOINT .*\norders .* orders-0 +orders\.installed\.svc:5432/,
    );
    const all = await inNamespace("get", "all", "-o", "name");
    for (const name of [
      "database.example.com/orders",
      "statefulset.apps/orders",
      "service/orders",
      "cronjob.batch/orders-backup",
    ])
      assert.ok(all.split("\n").includes(name), all);
    assert.match(await inNamespace("describe", "db", "orders"), /Events:\n.*Reason(.|\n)*Normal/);
  });

  test("kubectl scale adds a member, and wait waits for it", async () => {
    await inNamespace("scale", "db", "orders", "--replicas=2");
    await inNamespace("wait", "--for=jsonpath={.status.readyReplicas}=2", "db/orders", "--timeout=240s");
    await ready("db/orders");
    await inNamespace("wait", "--for=jsonpath={.status.readyReplicas}=2", "statefulset/orders", "--timeout=60s");
  });

  test("the examples of the companions become Databases that answer, and go with them", async () => {
    await inNamespace("delete", "db", "orders", "--timeout=180s");
    const small = {
      version: built.version,
      storage: { size: "1Gi" },
      resources: {},
      instances: 1,
      highAvailability: {},
    };
    await stage.kubectl.apply(await example("postgresqlcluster.yaml", small));
    await stage.kubectl.apply(await example("sampledb.yaml", { replicas: 1 }));
    await ready("postgresqlcluster/prod-db");
    await ready("sampledb/my-db");
    assert.equal(await inNamespace("get", "sampledb", "my-db", "-o=jsonpath={.status.version}"), built.version);
    assert.equal(await ask("prod-db", "select 1"), "1");
    assert.equal(await ask("my-db", "select 1"), "1");
    await inNamespace("delete", "postgresqlcluster/prod-db", "sampledb/my-db", "--timeout=180s");
    await eventually(async () => {
      assert.deepEqual(await stage.kubectl.names("databases", namespace), []);
    }, minutes(3));
  });

  test("a companion that the webhook refuses gets its Database once the catalogue has its version", async () => {
    const Catalogue = z.object({ data: z.object({ "catalogue.json": z.string() }) });
    const { data } = Catalogue.parse(await stage.kubectl.find("configmap", "database-operator-catalogue", system));
    const { postgresql } = z
      .object({ postgresql: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(data["catalogue.json"]));
    const write = (versions: Record<string, unknown>): Promise<string> => {
      const patch = { data: { "catalogue.json": JSON.stringify({ postgresql: versions }) } };
      return kubectl("patch", "configmap", "database-operator-catalogue", "-n", system, "-p", JSON.stringify(patch));
    };
    const metadata = { name: "early", namespace };
    const spec = { version: "99.1", instances: 1, storage: { size: "1Gi" } };
    await stage.kubectl.apply({ apiVersion: "postgres.example.com/v1", kind: "PostgreSQLCluster", metadata, spec });
    const refused = 'jsonpath={.status.conditions[?(@.type=="Stalled")].reason}=DatabaseRefused';
    await inNamespace("wait", `--for=${refused}`, "postgresqlcluster/early", "--timeout=60s");
    await write({ ...postgresql, "99.1": postgresql[built.version] });
    await eventually(async () => {
      assert.ok((await stage.kubectl.names("databases", namespace)).includes("early"));
      // the operator's next try may meet the webhook of the one that stands by, which hears of the catalogue by itself
    }, minutes(2));
    await inNamespace("delete", "postgresqlcluster/early", "--timeout=120s");
    await kubectl("patch", "configmap", "database-operator-catalogue", "-n", system, "-p", JSON.stringify({ data }));
    await eventually(async () => {
      assert.deepEqual(await stage.kubectl.names("databases", namespace), []);
    }, minutes(2));
  });

  test("each operator's metrics are behind its Service, and one of them leads", async () => {
    const leading: number[] = [];
    for (const { name } of await operatorPods(stage.kubectl)) {
      const text = await kubectl("get", "--raw", `/api/v1/namespaces/${system}/pods/${name}:8080/proxy/metrics`);
      leading.push(Number(/^leader_election_master_status\{.*\} (\d)$/m.exec(text)?.[1]));
    }
    assert.deepEqual(leading.sort(), [0, 1]);
    const service = `/api/v1/namespaces/${system}/services/database-operator-metrics:metrics/proxy/metrics`;
    assert.match(await kubectl("get", "--raw", service), /^controller_runtime_reconcile_total/m);
  });

  test("a second pulumi up changes nothing, and leaves the webhooks' authority where it is", async () => {
    const bundle = "-o=jsonpath={.spec.conversion.webhook.clientConfig.caBundle}";
    const before = await kubectl("get", "crd", "databases.example.com", bundle);
    assert.ok(before.length > 100);
    assert.match(await stage.platform.up(), /Resources:\n\s+\d+ unchanged/);
    assert.equal(await kubectl("get", "crd", "databases.example.com", bundle), before);
  });
});
