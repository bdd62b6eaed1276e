import assert from "node:assert/strict";
import test from "node:test";
import { ObservedDatabase } from "../domain/observed-database";
import { operatorMetrics, type MetricDefinition } from "../../contract/metrics";
import { databaseObject } from "../../test/fakes/ports";
import { DatabaseStatus } from "../api/status";
import type { Drift } from "../domain/children";
import { failed, settled, stalled, waiting } from "../domain/outcome";
import { createMetrics, type Metrics, type Observed } from "./metrics";

const idle = { depthOf: () => 0, agesOf: () => [] };

function metricsOf(observed: Partial<Observed> = {}): Metrics {
  return createMetrics({
    queue: () => idle,
    maxWorkers: 20,
    isLeading: () => true,
    databases: () => [],
    build: { version: "1", program: "2" },
    ...observed,
  });
}

/** The series of one metric, as lines without their name. */
async function seriesOf({ registry }: Metrics, { name }: MetricDefinition): Promise<string[]> {
  const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.slice(name.length)).sort();
}

const drift = (some: Partial<Drift> = {}): Drift => ({
  ...{ child: "StatefulSet shop", urn: "", kind: "edited", fields: ["spec.replicas"], by: "kubectl" },
  ...some,
});

test("everything that is defined is served, with its type and help, and nothing else but the process's own", async () => {
  const served = await metricsOf().registry.getMetricsAsJSON();
  const ours = served.filter(({ name }) => !/^(nodejs|process)_/.test(name));
  const summary = ({ name, type, help }: { name: string; type: unknown; help: string }): unknown => [name, type, help];
  assert.deepEqual(ours.map(summary).sort(), Object.values(operatorMetrics).map(summary).sort());
});

test("results are controller-runtime's: what waits for a person is not an error of the operator", async () => {
  const metrics = metricsOf();
  metrics.reconciled("team/shop", settled(), 0.1);
  metrics.reconciled("team/shop", stalled("Paused", ""), 0.1);
  metrics.reconciled("team/shop", waiting("Updating", "", 5), 0.1);
  metrics.reconciled("team/shop", failed("RunFailed", ""), 2);
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.reconciles), [
    '{controller="database",result="error"} 1',
    '{controller="database",result="requeue"} 0',
    '{controller="database",result="requeue_after"} 1',
    '{controller="database",result="success"} 2',
  ]);
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.reconcileErrors), ['{controller="database"} 1']);
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.outcomes), [
    '{outcome="failed",reason="RunFailed"} 1',
    '{outcome="settled",reason=""} 1',
    '{outcome="stalled",reason="Paused"} 1',
    '{outcome="waiting",reason="Updating"} 1',
  ]);
});

test("the queue is read when Prometheus asks", async () => {
  const busy = { depthOf: () => 3, agesOf: (lane: string) => (lane === "run" ? [1500, 500] : []) };
  const metrics = metricsOf({ queue: () => busy });
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.queueDepth), [
    '{name="look",controller="database"} 3',
    '{name="run",controller="database"} 3',
  ]);
  assert.ok((await seriesOf(metrics, operatorMetrics.queueLongest)).includes('{name="run",controller="database"} 1.5'));
  assert.ok(
    (await seriesOf(metrics, operatorMetrics.queueUnfinished)).includes('{name="run",controller="database"} 2'),
  );
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.activeWorkers), ['{controller="database"} 2']);
});

test("drift counts once however often it is looked at, and again when it comes back after its repair", async () => {
  const metrics = metricsOf();
  const edited = '{kind="edited"} ';
  const counts = async (): Promise<unknown> =>
    Promise.all(
      [operatorMetrics.driftFound, operatorMetrics.driftRepaired].map(async (metric) =>
        (await seriesOf(metrics, metric)).filter((line) => line.startsWith(edited)),
      ),
    );
  const key = "team/shop";
  for (let look = 0; look < 3; look++) metrics.drifted({ key, state: "found", drift: [drift()] });
  assert.deepEqual(await counts(), [[`${edited}1`], [`${edited}0`]]);
  metrics.drifted({ key, state: "found", drift: [drift(), drift({ fields: ["spec.template"] })] });
  assert.deepEqual(await counts(), [[`${edited}2`], [`${edited}0`]]);
  metrics.drifted({ key, state: "repaired", drift: [drift(), drift({ fields: ["spec.template"] })] });
  metrics.drifted({ key, state: "found", drift: [drift()] });
  assert.deepEqual(await counts(), [[`${edited}3`], [`${edited}2`]]);
});

const time = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "False", reason: "WaitingForMembers", message: "", lastTransitionTime: time };
const status: DatabaseStatus = DatabaseStatus.parse({
  phase: "Updating",
  readyReplicas: 1,
  streamingReplicas: 0,
  conditions: [ready],
  lastBackup: { name: "first", completedAt: time },
  tls: { mode: "Require", allMembers: true, certificateExpires: time, authorityExpires: time },
  lastVerifiedBackup: { label: "shop-20260101T000000Z", at: time, recoverySeconds: 42 },
  pendingChange: {
    ...{ digest: "plan", effect: "Downtime", since: time, generation: 2 },
    ...{ waitsFor: ["Approval"], changes: [], consequences: [] },
  },
});

const databases = (...names: string[]): (() => [string, ObservedDatabase][]) => {
  const objects = names.map((name): [string, ObservedDatabase] => [
    `team/${name}`,
    new ObservedDatabase({ ...databaseObject({ replicas: 2 }), status }),
  ]);
  return () => objects;
};

test("a Database shows its conditions, phase, members and last backup, and once it is gone nothing", async () => {
  let present = databases("shop")();
  const metrics = metricsOf({ databases: () => present });
  const all = async (): Promise<string[][]> =>
    Promise.all(
      [
        operatorMetrics.databaseInfo,
        operatorMetrics.databaseCondition,
        operatorMetrics.databasePhase,
        operatorMetrics.databaseReplicas,
        operatorMetrics.databaseReadyReplicas,
        operatorMetrics.databaseStreamingReplicas,
        operatorMetrics.databaseLastBackup,
        operatorMetrics.databaseLastVerified,
        operatorMetrics.databaseCertificateExpires,
        operatorMetrics.databaseRecovery,
        operatorMetrics.databasePendingChange,
      ].map((metric) => seriesOf(metrics, metric)),
    );
  assert.deepEqual(await all(), [
    ['{namespace="team",name="shop",engine="postgresql",version="17.6"} 1'],
    ['{namespace="team",name="shop",type="Ready",status="False",reason="WaitingForMembers"} 1'],
    ['{namespace="team",name="shop",phase="Updating"} 1'],
    ['{namespace="team",name="shop"} 2'],
    ['{namespace="team",name="shop"} 1'],
    ['{namespace="team",name="shop"} 0'],
    [`{namespace="team",name="shop"} ${Date.parse(time) / 1000}`],
    [`{namespace="team",name="shop"} ${Date.parse(time) / 1000}`],
    [`{namespace="team",name="shop"} ${Date.parse(time) / 1000}`],
    ['{namespace="team",name="shop"} 42'],
    [`{namespace="team",name="shop",effect="Downtime"} ${Date.parse(time) / 1000}`],
  ]);
  present = [];
  assert.deepEqual((await all()).flat(), []);
});

test("a Database whose spec is wrong shows what its status says", async () => {
  const wrong = new ObservedDatabase({ ...databaseObject({ engine: 7 }), status });
  const metrics = metricsOf({ databases: () => [["team/shop", wrong]] });
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.databaseInfo), []);
  assert.equal((await seriesOf(metrics, operatorMetrics.databaseCondition)).length, 1);
});

test("an operator that stands by shows no Database: each would count once per operator", async () => {
  let isLeading = false;
  const metrics = metricsOf({ isLeading: () => isLeading, databases: databases("shop", "cart") });
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.databaseInfo), []);
  assert.deepEqual(await seriesOf(metrics, operatorMetrics.leader), ['{name="database-operator"} 0']);
  isLeading = true;
  assert.equal((await seriesOf(metrics, operatorMetrics.databaseInfo)).length, 2);
});

test("a thousand Databases cost at most twenty series each", async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `d${index}`);
  const metrics = metricsOf({ databases: databases(...names) });
  const series = (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("database_status_"));
  assert.ok(series.length > 1000 && series.length <= 20_000, String(series.length));
});
