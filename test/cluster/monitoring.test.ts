// A real Prometheus and a real operator: what it serves is scraped, shown and judged, and alerts fire and end. Nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { METRICS_NAME } from "../../infra/metadata";
import { alertGroups, type AlertName } from "../../infra/monitoring/alerts";
import { dashboard } from "../../infra/monitoring/dashboard";
import { prometheusRuleOf, serviceMonitorOf } from "../../infra/monitoring/objects";
import { database, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { prometheusKinds, promtool, startPrometheus, type ActiveAlert, type Prometheus } from "../harness/prometheus";

const soon: Partial<Record<AlertName, string>> = {
  DatabaseOperatorNotLeading: "3s",
  DatabaseStalled: "1s",
  DatabaseNotReady: "1s",
};
const job = `job="${METRICS_NAME}"`;
const namespace = "watched";
const of = (name: string): string => `{${job},namespace="${namespace}",name="${name}"}`;

let platform: PlatformCluster;
let operator: OperatorProcess;
let prometheus: Prometheus;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const rules = { groups: alertGroups({ runbooks: "https://example.com/runbooks", patience: soon }) };
  prometheus = await startPrometheus([{ job: METRICS_NAME, address: operator.metricsAddress }], rules);
  await makeNamespace(platform.kubectl, namespace);
  await platform.kubectl.apply(database("orders", namespace, { replicas: 2 }));
  await untilReady(platform.kubectl, [namespace, "orders"], minutes(2));
});
after(async () => {
  await prometheus.stop();
  await operator.stop();
  await platform.stop();
});

/** The value of the one series that `expression` yields, after waiting for it: there is none where a scrape came too late. */
const valueOf = (expression: string): Promise<number> =>
  eventually(async () => {
    const [sample, ...others] = await prometheus.query(expression);
    assert.ok(
      sample !== undefined && others.length === 0,
      `${expression} yields ${others.length + (sample ? 1 : 0)} series`,
    );
    return sample.value;
  });

const untilValue = (expression: string, check: (value: number) => boolean): Promise<number> =>
  eventually(async () => {
    const value = await valueOf(expression);
    assert.ok(check(value), `${expression} is ${value}`);
    return value;
  });

/** The alerts of that name that fire. */
const firing = async (name: AlertName): Promise<readonly ActiveAlert[]> =>
  (await prometheus.alerts()).filter(({ state, labels }) => state === "firing" && labels["alertname"] === name);

test("promtool finds no fault with what the operator serves", async () => {
  assert.equal(await promtool(["check", "metrics"], { input: await operator.metrics() }), "");
});

test("Prometheus sees reconciles, runs, the queue and the leader", async () => {
  await untilValue(`up{${job}}`, (value) => value === 1);
  await untilValue(`sum(controller_runtime_reconcile_total{${job},result="success"})`, (value) => value > 0);
  await untilValue(
    `database_operator_stack_run_seconds_count{${job},operation="up",result="succeeded"}`,
    (n) => n >= 1,
  );
  await untilValue(`sum(workqueue_adds_total{${job},name="run"})`, (value) => value >= 1);
  await untilValue(`sum(workqueue_queue_duration_seconds_count{${job}})`, (value) => value >= 1);
  await untilValue(`controller_runtime_max_concurrent_reconciles{${job}}`, (value) => value > 1);
  await untilValue(`leader_election_master_status{${job}}`, (value) => value === 1);
  await untilValue(`database_operator_build_info{${job},version!="",program!=""}`, (value) => value === 1);
});

test("Prometheus sees a Database: its conditions, phase, members and engine", async () => {
  const ready = `database_status_condition{${job},namespace="${namespace}",name="orders",type="Ready"}`;
  const [sample] = await eventually(async () => {
    const found = await prometheus.query(ready);
    assert.equal(found[0]?.labels["status"], "True");
    return found;
  });
  assert.equal(sample?.labels["reason"], "AllReplicasReady");
  assert.equal(await valueOf(`database_status_phase${of("orders")}`), 1);
  assert.equal(await valueOf(`database_spec_replicas${of("orders")}`), 2);
  assert.equal(await valueOf(`database_status_ready_replicas${of("orders")}`), 2);
  const [info] = await prometheus.query(`database_info${of("orders")}`);
  assert.deepEqual([info?.labels["engine"], info?.labels["version"]], ["postgresql", "17.6"]);
});

test("drift is counted when it is found and when it is reverted", async () => {
  const counted = (what: string): string => `database_operator_drift_${what}_total{${job},kind="edited"}`;
  const [found, repaired] = [await valueOf(counted("found")), await valueOf(counted("repaired"))];
  await platform.kubectl("scale", "statefulset", "orders", "--replicas", "1", "-n", namespace);
  await untilValue(counted("repaired"), (value) => value === repaired + 1);
  assert.equal(await valueOf(counted("found")), found + 1);
  await untilReady(platform.kubectl, [namespace, "orders"], minutes(1));
});

test("a look at a healthy Database starts no process", async () => {
  const started = `sum(database_operator_pulumi_processes_started_total{${job}})`;
  const looks = `sum(controller_runtime_reconcile_total{${job}})`;
  const before = { started: await untilValue(started, (value) => value >= 1), looks: await valueOf(looks) };
  await platform.kubectl("annotate", "database", "orders", "-n", namespace, "example.com/look=now");
  await untilValue(looks, (value) => value > before.looks);
  assert.equal(await valueOf(started), before.started);
});

test("every query of the dashboard and every rule is one that Prometheus can answer", async () => {
  const expressions = dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  assert.ok(expressions.length > 20);
  for (const expression of expressions) await prometheus.query(expression.replaceAll("$__rate_interval", "1m"));
  await eventually(async () => {
    for (const { name, health } of await prometheus.rules()) assert.equal(health, "ok", name);
  });
});

/** Panels that show nothing here: of what only other exporters report, and of what has not happened. */
const elsewhere = ["Age of the last backup", "Watches that broke"];

test("the panels of the dashboard show something", async () => {
  for (const { title, targets } of dashboard().panels) {
    if (elsewhere.includes(title)) continue;
    const [first = { expr: "" }] = targets;
    await eventually(async () => {
      const samples = await prometheus.query(first.expr.replaceAll("$__rate_interval", "1m"));
      assert.notEqual(samples.length, 0, `${title}: ${first.expr}`);
    });
  }
});

test("a Database that waits for a person raises an alert that says which, why and what to do; it ends with the cause", async () => {
  assert.deepEqual(await firing("DatabaseStalled"), []);
  await platform.kubectl.apply(database("wrong", namespace, { replicas: 1, version: "17.99" }));
  const alert = await eventually(async () => {
    const [found] = await firing("DatabaseStalled");
    assert.ok(found);
    return found;
  });
  const { namespace: where, name, reason, severity } = alert.labels;
  assert.deepEqual([where, name, reason, severity], [namespace, "wrong", "VersionUnavailable", "warning"]);
  assert.match(alert.annotations["summary"] ?? "", /watched\/wrong waits for a person \(VersionUnavailable\)/);
  assert.equal(alert.annotations["runbook_url"], "https://example.com/runbooks#databasestalled");
  await platform.kubectl.apply(database("wrong", namespace, { replicas: 1, version: "17.7" }));
  await untilCondition(platform.kubectl, [namespace, "wrong"], { type: "Stalled", status: "False" }, minutes(1));
  await eventually(async () => {
    assert.deepEqual(await firing("DatabaseStalled"), []);
  });
});

test("a Database that is deleted leaves no series and no alert behind", async () => {
  await untilValue(`database_info${of("wrong")}`, (value) => value === 1);
  await platform.kubectl("delete", "database", "wrong", "-n", namespace);
  await eventually(async () => {
    assert.deepEqual(await prometheus.query(`{${job},namespace="${namespace}",name="wrong"}`), []);
  });
  await eventually(async () => {
    assert.deepEqual(await firing("DatabaseNotReady"), []);
  });
});

test("the Prometheus operator's kinds accept the ServiceMonitor and the PrometheusRule, field by field", async () => {
  await platform.kubectl("apply", "--server-side", "-f", prometheusKinds);
  await platform.kubectl("wait", "--for=condition=Established", "-f", prometheusKinds);
  const labels = { release: "kps" };
  const objects = [serviceMonitorOf(namespace, labels), prometheusRuleOf(namespace, labels, { runbooks: "r" })];
  for (const object of objects) {
    // kubectl asks the server to refuse fields that the kind does not have
    assert.match(await platform.kubectl.apply(object), /created/);
  }
  await assert.rejects(
    platform.kubectl.apply({ ...objects[0], metadata: { name: "wrong", namespace }, spec: { endpoint: [] } }),
    /unknown field|Required value/,
  );
});

test("when no operator works an alert says so", async () => {
  await eventually(async () => {
    assert.deepEqual(await firing("DatabaseOperatorNotLeading"), []);
  });
  await operator.stop();
  const [alert] = await eventually(async () => {
    const found = await firing("DatabaseOperatorNotLeading");
    assert.equal(found.length, 1);
    return found;
  }, minutes(1));
  assert.equal(alert?.labels["severity"], "critical");
});
