// `kubectl database-operator` as people use it: the built file, by kubectl, against a real API server and operator; nodes are simulated.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { z } from "zod";
import { operatorName } from "../../contract/platform";
import { previewApiService } from "../../contract/resources";
import { freePorts } from "../../tools/host/ports";
import { untilCounted } from "../harness/at-rest";
import { database, untilBackedUp, untilGone, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { userOf } from "../harness/people";
import { pluginUsers, type Ended, type PluginUsers } from "../harness/plugin";
import { withoutWrites } from "../harness/preview";
import { untilRecorded } from "../harness/revisions";

const operatorNamespace = "database-operator-system";
const namespace = "shop";
const place = [namespace, "orders"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;
let users: PluginUsers;
let port: number;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  [port] = await freePorts();
  users = await pluginUsers(platform, namespace);
  for (const role of ["view", "edit"]) await users.user(role);
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  operator = await startOperatorProcess({
    environment: {
      ...platform.operatorEnvironment,
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      DATABASE_OPERATOR_PREVIEW_API: "true",
      DATABASE_OPERATOR_APPROVALS: "true",
    },
  });
  await platform.kubectl("wait", "--for=condition=Available", `apiservice/${previewApiService}`, "--timeout=60s");
  await platform.kubectl.apply(orders());
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(2));
  await untilCounted(platform.kubectl, place);
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await users.remove();
});

const orders = (spec: Record<string, unknown> = {}): unknown =>
  database("orders", namespace, { replicas: 2, config: { work_mem: "8MB" }, ...spec });

const plugin: PluginUsers["plugin"] = (line, as) => users.plugin(line, as);

/** Does it, and sees that nothing was written meanwhile. */
const quietly = (work: () => Promise<Ended>): Promise<Ended> =>
  withoutWrites(platform.kubectl, [namespace, operatorNamespace], work);

test("with the role view all of a Database's standing is read, and nothing is left out", async () => {
  const { code, out, err } = await quietly(() => plugin(`status orders -n ${namespace}`));
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^shop\/orders {3}PostgreSQL 17\.\d+ {3}(READY|DEGRADED) {3}revision \d+, \d+ \S+ ago by kubectl/);
  assert.match(out, /\n {2}orders-0 {3}primary {3}\S+ {3}up \d/);
  assert.match(out, /\n {2}orders-1 {3}replica {3}\S+ {3}up \d/);
  assert.match(out, /\nBackup {4}20\d\d-.* UTC, .* ago/);
  assert.match(out, /\nConnect {3}orders\.shop\.svc:5432, as Secret orders-credentials says\n/);
  assert.doesNotMatch(out, /Not shown/);
});

test("a list has a line for each, and what may not be listed is an error that says how to get there", async () => {
  const { out } = await plugin("status");
  assert.match(out, /^NAME .*\norders {3}(READY|DEGRADED) .* 2\/2 {5,}orders-0 /);
  const { code, err } = await plugin("status -A");
  assert.match(err, /you may not list databases\.example\.com in all namespaces\n {2}without -A/);
  assert.equal(code, 2);
  const elsewhere = await plugin("status -n default");
  assert.match(elsewhere.err, /kubectl create rolebinding \S+ --clusterrole=view .* -n default\n/);
  const mistyped = await plugin("status ordres");
  assert.match(mistyped.err, /there is no Database "ordres" in namespace shop\n {2}did you mean orders\?/);
});

test("programs get facts", async () => {
  const { out } = await plugin("status orders -o json");
  const Facts = z.object({
    ...{ name: z.literal("orders"), ready: z.literal(true), readyReplicas: z.literal(2) },
    backup: z.object({ last: z.object({ completedAt: z.iso.datetime() }) }),
    members: z.array(z.object({ name: z.string(), role: z.string(), ready: z.literal(true) })),
  });
  const { members } = Facts.parse(JSON.parse(out));
  assert.deepEqual(members.map(({ role }) => role).sort(), ["primary", "replica"]);
});

test("backups are those of the cluster", async () => {
  const { code, out } = await plugin("backups orders");
  assert.match(out, /^shop\/orders {3}can be restored to the moment/);
  assert.match(out, /\norders-\S+ {3}Succeeded {3}Initial /);
  assert.equal(code, 0);
});

test("who may write the Database previews, and the run then changes as many objects", async () => {
  const changed = orders({ config: { work_mem: "16MB" } });
  const as = { role: "edit", input: changed };
  const { code, out } = await quietly(() => plugin("preview -f -", as));
  assert.match(out, /^shop\/orders {3}changed\n {2}spec\.config\.work_mem {2}"8MB" → "16MB"\n/);
  assert.match(out, /\nEffect {2}settings are read again: /);
  assert.match(out, /\nPlan {4}[0-9a-f]{12} {3}\d+ to update, \d+ unchanged/);
  assert.equal(code, 1);
  const { code: none, out: unchanged } = await plugin("preview -f -", { role: "edit", input: orders() });
  assert.match(unchanged, /^shop\/orders {3}nothing would change\n/);
  assert.equal(none, 0);
  const deletion = await quietly(() => plugin("preview -f - --delete", as));
  assert.match(deletion.out, /^shop\/orders {3}deleted\n/);
  assert.equal(deletion.code, 1);
});

test("who may only read is refused by the API server, and a bad spec by its rules", async () => {
  const reader = await plugin("preview -f -", { input: orders({ config: { work_mem: "16MB" } }) });
  assert.match(reader.out, /^orders {3}refused\n {2}.*forbidden/i);
  assert.equal(reader.code, 2);
  // kubectl sends nothing where nothing is to be changed: the operator refuses it
  const idle = await plugin("preview -f -", { input: orders() });
  assert.match(
    idle.out,
    /^shop\/orders {3}refused\n {2}you may not write databases\.example\.com orders in namespace shop\n$/,
  );
  assert.equal(idle.code, 2);
  const wrong = await plugin("preview -f -", { role: "edit", input: orders({ replicas: 0 }) });
  assert.match(wrong.out, /^orders {3}refused\n(.*\n)*.*spec\.replicas/);
  assert.equal(wrong.code, 2);
});

test("a restart has its cause, and is waited for", async () => {
  await platform.kubectl.apply(orders({ config: { work_mem: "8MB", max_connections: "150" } }));
  const { code, out } = await plugin("wait orders --timeout=3m");
  assert.equal(code, 0, out);
  const why = await eventually(async () => {
    const { out: said } = await plugin("why orders-1");
    assert.match(said, /the operator: restarting orders-1: 1 of 2/);
    return said;
  }, minutes(1));
  assert.match(
    why,
    /\n {2}orders-1 runs since .*\n {4}└─ the operator: restarting orders-1: 1 of 2 \(replica\)\n {7}└─ (revision \d+: )?max_connections /,
  );
  const whole = await plugin("why orders");
  assert.match(whole.out, /Database orders +Restarting +restarting orders-1: 1 of 2/);
});

test("the history has who changed what, and a rollback is a change of the person who asks for it", async () => {
  const before = await untilRecorded(platform.kubectl, place, minutes(1));
  const { out: listed } = await plugin("history orders");
  assert.match(listed, /^REV .*\n\d+ .*max_connections 150/);
  const reader = await plugin("rollback orders --yes");
  assert.match(reader.out + reader.err, /forbidden/i);
  assert.equal(reader.code, 2);
  const dry = await quietly(() => plugin("rollback orders --dry-run", { role: "edit" }));
  assert.match(dry.out, /^Back to revision \d+, .*\n(.*\n)*.*spec\.config\.max_connections/);
  assert.equal(dry.code, 1);
  const { code, out } = await plugin("rollback orders --yes", { role: "edit" });
  assert.match(out, /\nwritten: shop\/orders asks for the spec of revision \d+\n/);
  assert.equal(code, 0, out);
  await untilReady(platform.kubectl, place, minutes(3));
  const { spec } = await untilRecorded(platform.kubectl, place, minutes(1));
  assert.deepEqual(
    [spec.revision, spec.author, spec.template?.["config"]],
    [before.spec.revision + 1, userOf("edit"), { work_mem: "8MB" }],
  );
  const detail = await plugin(`history orders --revision=${spec.revision}`);
  assert.match(detail.out, /\n {2}spec\.config\.max_connections {2}- 150\n/);
  const again = await plugin(`rollback orders --to-revision=${spec.revision} --yes`, { role: "edit" });
  assert.match(again.out, /^nothing to change/);
  assert.equal(again.code, 0);
  const forth = await plugin(`rollback orders --to-revision=${before.spec.revision} --yes`, { role: "edit" });
  assert.equal(forth.code, 0, forth.out + forth.err);
  await untilReady(platform.kubectl, place, minutes(3));
  const newest = await untilRecorded(platform.kubectl, place, minutes(1));
  assert.deepEqual([newest.spec.author, newest.spec.manager], [userOf("edit"), "kubectl-database-operator"]);
});

test("a pause is a person's, its end is previewed, and what was edited meanwhile comes with it", async () => {
  const reader = await plugin("pause orders");
  assert.match(reader.err, /you may not patch databases\.example\.com in namespace shop\n {2}the role edit is enough/);
  assert.equal(reader.code, 2);
  assert.equal((await plugin("pause orders", { role: "edit" })).code, 0);
  const waited = await plugin("wait orders --timeout=1m");
  assert.match(waited.out, /it is paused: kubectl database-operator resume orders -n shop ends that\n$/);
  assert.equal(waited.code, 1);
  const config = { work_mem: "12MB", max_connections: "150" };
  await platform.kubectl.apply(orders({ config, paused: true }));
  const dry = await plugin("resume orders --dry-run", { role: "edit" });
  assert.match(dry.out, /^shop\/orders {3}changed\n(.*\n)*Plan /);
  assert.equal(dry.code, 1);
  const { code, out, err } = await plugin("resume orders --yes", { role: "edit" });
  assert.match(out, /\nshop\/orders is not paused any more\n/);
  assert.equal(code, 0, err);
  const ended = await plugin("wait orders --timeout=3m");
  assert.equal(ended.code, 0, ended.out);
  const { spec } = await untilRecorded(platform.kubectl, place, minutes(1));
  assert.deepEqual(spec.template?.["config"], config);
});

test("kubectl completes verbs and names", async () => {
  const { out: verbs } = await users.kubectl(["__complete", "database-operator", "st"]);
  assert.match(verbs, /^status\t.*\n:4\n$/);
  const { out: names } = await users.kubectl(["__complete", "database-operator", "status", "o"]);
  assert.match(names, /^orders\n:4\n$/);
  const { out: namespaces } = await users.kubectl(["__complete", "database-operator", "status", "-o", "j"]);
  assert.match(namespaces, /^json\n:4\n$/);
});

test("who may write asks for a backup, and who may read hands on a report without secrets", async () => {
  const reader = await plugin("backup orders");
  assert.match(reader.err, /you may not create databasebackups\.example\.com in namespace shop/);
  assert.equal(reader.code, 2);
  const { code, out, err } = await plugin("backup orders --keep", { role: "edit" });
  assert.equal(code, 0, err);
  const [, name = ""] = /a backup is asked for: (\S+), /.exec(out) ?? [];
  await eventually(async () => {
    assert.match((await plugin("backups orders")).out, new RegExp(`\n${name} +Succeeded +Manual .* yes\n`));
  }, minutes(2));
  const report = await plugin("report orders");
  assert.match(report.out, /^apiVersion: v1\nkind: List\nreport:\n(.*\n)*items:\n/);
  assert.match(report.out, /\n {4}kind: Database\n/);
  assert.doesNotMatch(report.out, /managedFields|last-applied-configuration/);
  assert.deepEqual([report.code, report.err], [0, ""]);
});

test("while no operator answers that is said, and nothing is concluded from it", async () => {
  await operator.stop();
  const as = { role: "edit", input: orders({ config: { work_mem: "16MB" } }) };
  const away = await plugin("preview -f -", as);
  assert.match(away.out, /^shop\/orders {3}not previewed\n {2}no operator answers for now: /);
  assert.equal(away.code, 2);
  await platform.kubectl("delete", "apiservice", previewApiService);
  await eventually(async () => {
    const off = await plugin("preview -f -", as);
    assert.match(off.out, /setting previewApi is off\n {2}the dry run gave no warnings, which proves nothing\n/);
    assert.equal(off.code, 2);
  }, minutes(1));
  // the right to ask comes with the setting, and is missed first
  await platform.kubectl("delete", "clusterrole,clusterrolebinding", `${operatorName}-previews`);
  await eventually(async () => {
    const off = await plugin("preview -f -", as);
    assert.match(off.out, /setting previewApi is off, or you may not write here\n {2}the dry run gave no warnings/);
    assert.equal(off.code, 2);
  }, minutes(1));
  const waited = await plugin("wait orders --for=deleted --timeout=0");
  assert.equal(waited.code, 1);
});

test("a deletion is waited for to its end", async () => {
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  operator = await startOperatorProcess({
    environment: { ...platform.operatorEnvironment, DATABASE_OPERATOR_WEBHOOK_PORT: String(port) },
  });
  await platform.kubectl("delete", "database", "orders", "-n", namespace, "--wait=false");
  const { code, out } = await plugin("wait orders --for=deleted --timeout=3m");
  assert.match(out, /it does not exist any more\n$/);
  assert.equal(code, 0);
  await untilGone(platform.kubectl, place, minutes(2));
});
