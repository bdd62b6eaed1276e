// The exporters beside real members, scraped by a real Prometheus, and the alerts about databases judged on what they say.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { alertGroups } from "../../infra/monitoring/alerts";
import { queries } from "../../infra/monitoring/queries";
import { METRICS_NAME } from "../../infra/metadata";
import { run } from "../../tools/host/command";
import { projectRoot } from "../../tools/platform/platform";
import { database, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { builtPostgresql } from "../harness/real-postgresql";
import { startPrometheus, type Prometheus, type ScrapeTarget } from "../harness/prometheus";

const namespace = "shop";

let platform: PlatformCluster;
let operator: OperatorProcess;
let prometheus: Prometheus;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real" });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const { version } = await builtPostgresql();
  await makeNamespace(platform.kubectl, namespace);
  const config = { max_connections: "60" };
  await platform.kubectl.apply(database("orders", namespace, { version, replicas: 2, storage: "2Gi", config }));
  await untilReady(platform.kubectl, [namespace, "orders"], minutes(4));
  const rules = { groups: alertGroups({ runbooks: "r" }) };
  const targets = [{ job: METRICS_NAME, address: operator.metricsAddress }, ...(await exporters())];
  prometheus = await startPrometheus(targets, rules);
});
after(async () => {
  await prometheus.stop();
  await operator.stop();
  await platform.stop();
});

const Pods = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.object({ podIP: z.string() }) })),
});

/** The exporter of each member, with the labels that the Database's ServiceMonitor gives. */
async function exporters(): Promise<ScrapeTarget[]> {
  const selector = "app=database,app.kubernetes.io/component=database";
  const text = await platform.kubectl("get", "pods", "-n", namespace, "-l", selector, "-o", "json");
  return Pods.parse(JSON.parse(text)).items.map(({ metadata: { name }, status: { podIP } }) => ({
    job: "orders-headless",
    address: `${podIP}:9187`,
    labels: { namespace, pod: name, database: "orders" },
  }));
}

test("Prometheus scrapes the exporter of every member, and every one reaches its PostgreSQL", async () => {
  await eventually(async () => {
    const up = await prometheus.query("pg_up == 1");
    assert.deepEqual(up.map(({ labels }) => labels["pod"]).sort(), ["orders-0", "orders-1"]);
  }, minutes(1));
});

test("the alerts about databases find the figures that they ask for: connections and lag of each member", async () => {
  const connections = await eventually(async () => {
    const found = await prometheus.query(queries.connections);
    assert.equal(found.length, 2);
    return found;
  }, minutes(1));
  for (const { value } of connections) assert.ok(value > 0 && value < 0.9, String(value));
  const lag = await eventually(async () => {
    const found = await prometheus.query(queries.replicationLag);
    assert.equal(found.length, 2);
    return found;
  }, minutes(1));
  for (const { value, labels } of lag) {
    assert.ok(value >= 0 && value < 60, String(value));
    assert.equal(labels["database"], "orders");
  }
});

test("the commands of the runbooks work as they are written", async () => {
  const runbooks = await readFile(join(projectRoot, "docs/runbooks.md"), "utf8");
  const commands = [...runbooks.matchAll(/^\$ (kubectl .*-n shop.*)$/gm)].map(([, command = ""]) => command);
  assert.ok(commands.length > 10);
  for (const command of commands) await run("bash", ["-o", "pipefail", "-c", command], { env: platform.environment });
});

test("at rest no alert fires, and every rule can be evaluated", async () => {
  await eventually(async () => {
    for (const { name, health } of await prometheus.rules()) assert.equal(health, "ok", name);
    // before the first scrape no operator was seen
    assert.deepEqual(await prometheus.alerts(), []);
  });
});
