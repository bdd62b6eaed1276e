// The operator in the cluster that it manages: deployed by `pulumi up` on a real node, replaced, killed, frozen, taken away and
// put back, while real databases go on.
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import test, { after, before } from "node:test";
import { z } from "zod";
import { run } from "../../tools/host/command";
import { buildImages } from "../../tools/images/build";
import { projectRoot } from "../../tools/platform/platform";
import { database, untilBackedUp, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import {
  firstProcessOf,
  leadingPod,
  leaseHolder,
  operatorPods,
  processesOf,
  untilAnotherLeads,
  writesOf,
  type OperatorPod,
  type OperatorWrite,
} from "../harness/operator-pods";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { askDatabase, builtPostgresql } from "../harness/real-postgresql";
import { sendSignal } from "../harness/signal";

const system = "database-operator-system";
const namespace = "shop";
const place = [namespace, "orders"] as const;

let platform: PlatformCluster;
let version: string;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real", operator: "deployed" });
  ({ version } = await builtPostgresql());
  await platform.kubectl("create", "namespace", namespace);
});
after(async () => {
  await platform.stop();
});

/** No backup but the first one falls into a test. */
const backup = { schedule: "0 0 29 2 *" };

const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
  platform.kubectl.apply(database(name, namespace, { version, storage: "1Gi", replicas: 1, backup, ...spec }));

const ask = (statement: string): Promise<string> =>
  askDatabase(platform.environment, { namespace, database: "orders", service: "orders", sql: statement });

const make = (...args: string[]): Promise<string> => run("make", args, { cwd: projectRoot, env: platform.environment });

const untilRolledOut = (): Promise<string> =>
  platform.kubectl("rollout", "status", "deployment/database-operator", "-n", system, "--timeout=180s");

const signal = async (pod: OperatorPod, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void> => {
  const pids = await processesOf(pod);
  assert(pids.length >= 2, `the node shows ${pids.length} processes of ${pod.name}`);
  for (const pid of pids) sendSignal(pid, name);
};

/** What the operators wrote that is about the Databases of this test: their own webhooks are theirs to write. */
const writesHere = async (since: number): Promise<OperatorWrite[]> =>
  (await writesOf(platform.cluster.auditLog, since)).filter(({ request }) =>
    request.includes(`/namespaces/${namespace}/`),
  );

/** What must not change while the operator does: running members with their restarts, versions of what it made, the status. */
async function untouched(): Promise<unknown> {
  const read = async (...args: string[]): Promise<string[]> =>
    (await platform.kubectl("get", ...args, "-n", namespace)).split("\n").sort();
  const restarts = '{range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\\n"}{end}';
  const generations = '{range .items[*]}{.kind}/{.metadata.name} {.metadata.uid} {.metadata.generation}{"\\n"}{end}';
  const kinds =
    "statefulsets,services,secrets,persistentvolumeclaims,cronjobs,poddisruptionbudgets,networkpolicies,serviceaccounts";
  return {
    status: z.object({ status: z.unknown() }).parse(await platform.kubectl.find("database", "orders", namespace)),
    members: await read(
      "pods",
      "-l",
      "database",
      "--field-selector=status.phase=Running",
      "-o",
      `jsonpath=${restarts}`,
    ),
    children: await read(kinds, "-l", "database", "-o", `jsonpath=${generations}`),
  };
}

/** From `since` (milliseconds since 1970) until a pod (default: any) wrote for the first time. */
async function secondsUntilWrite(pod: OperatorPod | undefined, since: number): Promise<number> {
  const [first] = await writesOf(platform.cluster.auditLog, since, pod);
  return ((first?.at ?? Infinity) - since) / 1000;
}

test("pulumi up deploys two operators, of which one leads", async () => {
  await untilRolledOut();
  const pods = await operatorPods(platform.kubectl);
  assert.equal(pods.length, 2);
  const leader = await eventually(() => leadingPod(platform.kubectl), minutes(1));
  assert(pods.some(({ uid }) => uid === leader.uid));
});

test("the image is small, runs without root and cannot write where its programs are", async () => {
  const [image] = await buildImages({ log: () => undefined, only: ["operator"] });
  const { size } = await stat(image?.archive ?? "");
  assert.ok(size < 900e6, `${size} bytes`);
  const { name } = await leadingPod(platform.kubectl);
  const inside = (...command: string[]): Promise<string> =>
    platform.kubectl("exec", "-n", system, name, "--", ...command);
  assert.equal((await inside("id", "-u")).trim(), "999");
  await assert.rejects(inside("touch", "/opt/database-operator/here"), /Read-only file system|Permission denied/);
  await assert.rejects(inside("touch", "/usr/local/bin/here"), /Read-only file system/);
});

test("kubectl apply: the deployed operator makes a database that answers", async () => {
  await apply("orders");
  await untilReady(platform.kubectl, place, minutes(4));
  // the end of the first backup is written to the status, which the next test must find settled
  await untilBackedUp(platform.kubectl, place, minutes(2));
  await ask("create table items (id int primary key); insert into items select generate_series(1, 100)");
  assert.equal(await ask("select count(*) from items"), "100");
});

test("a rolling update of the operator leaves databases untouched: no pod restarts, and nothing is written", async () => {
  const before = await untouched();
  const since = Date.now();
  const former = await leadingPod(platform.kubectl);
  await platform.kubectl("rollout", "restart", "deployment/database-operator", "-n", system);
  await untilRolledOut();
  await untilAnotherLeads(platform.kubectl, former, minutes(1));
  await consistently(async () => {
    assert.deepEqual(await writesHere(since), []);
  }, 3000);
  assert.deepEqual(await untouched(), before);
});

test("SIGTERM in the middle of runs ends them cleanly, and the next leader goes on", async (context) => {
  const former = await leadingPod(platform.kubectl);
  const holder = await leaseHolder(platform.kubectl);
  const first = await firstProcessOf(former);
  const names = ["first", "second", "third", "fourth"];
  const log = run("kubectl", ["logs", "-f", "-n", system, former.name], { env: platform.environment });
  const since = Date.now();
  const applied = Promise.all(
    names.map((name) => apply(name, { deletionPolicy: "Delete", backup: { enabled: false } })),
  );
  await eventually(
    async () => {
      const written = await writesHere(since);
      assert(written.some(({ request }) => request.includes("/services")));
    },
    { withinMs: 30_000, everyMs: 10 },
  );
  const told = Date.now();
  platform.witness.expectRestart(former.name, "it is told to stop in the middle of runs");
  // to the first process of the container, as the kubelet sends it; without the pause that comes before
  process.kill(first, "SIGTERM");
  await applied;
  const said = (await log).split("\n");
  assert(
    said.some((line) => line.includes('"msg":"stopped"')),
    "it did not stop in order",
  );
  const afterwards = said.slice(said.findIndex((line) => line.includes('"msg":"stopping"')));
  assert(
    afterwards.some((line) => line.includes("stack run")),
    "no run was under way",
  );
  const unfinished = said.filter((line) => line.includes("stack run did not succeed"));
  // Pulumi carries out what it has begun, and keeps what is done in the state
  for (const line of unfinished) assert.match(line, /"message":"update canceled"/);
  // the one that stood by, or the one that the kubelet started in place of the one that ended
  await eventually(async () => {
    const next = await leaseHolder(platform.kubectl);
    assert(next !== "" && next !== holder);
  }, minutes(1));
  context.diagnostic(`another one led ${(Date.now() - told) / 1000} s after the leader was told to stop`);
  for (const name of names) await untilReady(platform.kubectl, [namespace, name], minutes(4));
  await platform.kubectl("delete", "databases", ...names, "-n", namespace, "--wait=false");
  for (const name of names) await untilGone(platform.kubectl, [namespace, name], minutes(3));
  await untilRolledOut();
});

test("the leader is killed: another one acts within 20 s", async (context) => {
  const former = await eventually(() => leadingPod(platform.kubectl), minutes(1));
  platform.witness.expectRestart(former.name, "it is killed");
  await signal(former, "SIGKILL");
  const killed = Date.now();
  await apply("orders", { config: { work_mem: "9MB" } });
  await eventually(
    async () => {
      assert.equal(await ask("show work_mem"), "9MB");
    },
    { withinMs: 60_000, everyMs: 100 },
  );
  // the one that stood by, or the one that the kubelet started in place of the killed one
  const seconds = await secondsUntilWrite(undefined, killed);
  context.diagnostic(`another one acted ${seconds} s after the leader was killed`);
  assert(seconds < 20, `${seconds} s`);
  await untilReady(platform.kubectl, place, minutes(2));
});

test("a leader that was frozen for longer than its lease writes nothing when it goes on, and starts anew", async (context) => {
  await untilRolledOut();
  const former = await eventually(() => leadingPod(platform.kubectl), minutes(1));
  await apply("frozen", { deletionPolicy: "Delete", backup: { enabled: false } });
  await eventually(
    async () => {
      assert((await platform.kubectl.names("services", namespace)).includes("frozen"));
    },
    { withinMs: 30_000, everyMs: 20 },
  );
  platform.witness.expectRestart(former.name, "it is frozen for longer than its lease");
  await signal(former, "SIGSTOP");
  const frozen = Date.now();
  const next = await untilAnotherLeads(platform.kubectl, former, { withinMs: 40_000 });
  await untilReady(platform.kubectl, [namespace, "frozen"], minutes(2));
  context.diagnostic(`another one acted ${await secondsUntilWrite(next, frozen)} s after the leader was frozen`);
  const woken = Date.now();
  await signal(former, "SIGCONT");
  await eventually(async () => {
    const pod = (await operatorPods(platform.kubectl)).find(({ uid }) => uid === former.uid);
    assert.equal(pod?.restarts, former.restarts + 1);
  }, minutes(1));
  assert.deepEqual(await writesOf(platform.cluster.auditLog, woken, former), []);
  await platform.kubectl("delete", "database", "frozen", "-n", namespace, "--timeout=120s");
  await untilRolledOut();
});

test("make undeploy takes the operator away, databases go on; make deploy brings it back and changes nothing of them", async () => {
  const before = await untouched();
  assert.match(await make("undeploy"), /kept: the custom resource/);
  await eventually(async () => {
    assert.deepEqual(await operatorPods(platform.kubectl), []);
  }, minutes(2));
  await ask("insert into items values (101)");
  assert.deepEqual(await untouched(), before);
  const since = Date.now();
  await make("deploy", `IMG=${platform.operatorImage ?? ""}`);
  await eventually(() => leadingPod(platform.kubectl), minutes(1));
  await consistently(async () => {
    assert.deepEqual(await untouched(), before);
    assert.deepEqual(await writesHere(since), []);
  }, 3000);
  assert.equal(await ask("select count(*) from items"), "101");
});
