// MySQL on a real node: real pods, real volumes, real SQL, and all that can happen to a group.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { database, labelledPrimaries, readDatabase, untilBackedUp, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { askMysqlMember, builtMysql, MysqlClient } from "../harness/real-mysql";

const namespace = "shop";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1", "orders-2"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;
let version: string;
let image: string;
let client: MysqlClient;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real", engines: ["mysql"] });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  ({ version, image } = await builtMysql());
  await platform.kubectl("create", "namespace", namespace);
  await platform.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  client = new MysqlClient(platform.kubectl, namespace, "orders");
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const startOperator = async (): Promise<void> => {
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
};

const apply = (spec: Record<string, unknown> = {}): Promise<string> =>
  platform.kubectl.apply(
    database("orders", namespace, { engine: "mysql", version, storage: "2Gi", backup: { enabled: false }, ...spec }),
  );

const restarted = { long_query_time: "3.5", back_log: "77" };

/** In a member's container. */
const inMember = (pod: string, script: string): Promise<string> =>
  platform.kubectl("exec", "-n", namespace, pod, "-c", "mysql", "--", "bash", "-c", script).then((text) => text.trim());

/** As the superuser, on the member itself. */
const askMember = (pod: string, sql: string): Promise<string> => askMysqlMember(platform.kubectl, namespace, pod, sql);

/** A lock that it leaves names a program that runs, as it may after the end of a container. */
const killServer = (pod: string): Promise<string> =>
  inMember(pod, "pid=$(cat /run/mysqld/mysqld.pid); echo 1 >/run/mysqld/mysqld.sock.lock; kill -9 $pid");

/** Waits until one pod has the label of the primary, and returns its name. */
const primary = (): Promise<string> =>
  eventually(async () => {
    const [pod, ...others] = await labelledPrimaries(platform.kubectl, place);
    assert.ok(pod !== undefined && others.length === 0);
    return pod.name;
  }, minutes(1));

const Member = z.object({
  metadata: z.object({ labels: z.object({ role: z.string().default("") }) }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

/** Waits until each member is ready and has a role: a pod stays ready for a while when its server is gone. */
const untilWhole = (): Promise<unknown> =>
  eventually(async () => {
    const selector = "database=orders,app.kubernetes.io/component=database";
    const pods = z.array(Member).parse(await platform.kubectl.list("pods", { namespace, selector }));
    const members = pods.map(({ metadata, status }) => {
      const ready = status.conditions.find(({ type }) => type === "Ready");
      return `${metadata.labels.role} ${ready?.status ?? ""}`;
    });
    assert.deepEqual(members.sort(), ["primary True", "replica True", "replica True"]);
  }, minutes(2));

test("apply: three members form a group, and an application uses it with the credentials of its Secret", async () => {
  await apply();
  const view = await untilReady(platform.kubectl, place, minutes(4));
  assert.equal(view.status.readyReplicas, 3);
  await client.start(image);
  await client.ask("create table items (id int primary key); insert into items values (1), (2), (3)");
  assert.equal(await client.ask("select count(*) from items"), "3");
  const uri = new URL(await client.run('echo "$DATABASE_URI"'));
  assert.deepEqual(
    [uri.protocol, uri.username, uri.host, uri.pathname],
    ["mysql:", "app", "orders.shop.svc:3306", "/app"],
  );
  assert.match(await client.ask("select version()"), new RegExp(`^${version.replace(".", "\\.")}\\.`));
});

test("the read-only Service leads to replicas, which have the rows and refuse writes", async () => {
  await eventually(async () => {
    assert.equal(await client.ask("select count(*), @@super_read_only from items", "orders-ro"), "3\t1");
  }, minutes(1));
  await assert.rejects(client.ask("insert into items values (0)", "orders-ro"), /read-only option/);
});

test("the exporter serves metrics, and the application's account reaches its own database only", async () => {
  const script = `fetch("http://127.0.0.1:9187/metrics").then((answer) => answer.text()).then(console.log)`;
  assert.match(await inMember("orders-0", `node -e '${script}'`), /^mysql_up 1$/m);
  await assert.rejects(client.ask("select count(*) from mysql.user"), /denied/);
});

test("a parameter that needs no restart arrives within seconds, and no member restarts", async () => {
  const started = await askMember(
    "orders-0",
    'select @@pid_file, variable_value from performance_schema.global_status where variable_name = "Uptime"',
  );
  await apply({ config: { long_query_time: "0.5", slow_query_log: "ON", max_allowed_packet: "32M" } });
  await untilReady(platform.kubectl, place, minutes(2));
  for (const member of members) {
    await eventually(async () => {
      assert.equal(
        await askMember(member, "select @@global.long_query_time, @@global.max_allowed_packet"),
        "0.500000\t33554432",
      );
    }, minutes(1));
  }
  const uptime = (text: string): number => Number(text.split("\t")[1]);
  const later = await askMember(
    "orders-0",
    'select @@pid_file, variable_value from performance_schema.global_status where variable_name = "Uptime"',
  );
  assert.ok(uptime(later) >= uptime(started), `${started}, then ${later}`);
  await client.ask("select sleep(0.6)");
  const slow = 'select count(*) from mysql.slow_log where sql_text like "select sleep%"';
  assert.equal(await askMember(await primary(), slow), "1");
});

test("a parameter that needs a restart rolls the members, and no row is lost", async () => {
  await client.startWriting();
  await apply({ config: restarted });
  await untilReady(platform.kubectl, place, minutes(5));
  for (const member of members) {
    await eventually(async () => {
      assert.equal(await askMember(member, "select @@back_log"), "77");
    }, minutes(3));
  }
  await untilWhole();
  await client.untilWriting();
  assert.deepEqual(await client.lost(), []);
});

const faults: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["the primary's server is killed", async () => killServer(await primary())],
  [
    "the primary's pod is deleted by force",
    async () => platform.kubectl("delete", "pod", await primary(), "-n", namespace, "--force", "--grace-period=0"),
  ],
  ["all pods are deleted at once", () => platform.kubectl("delete", "pod", ...members, "-n", namespace)],
  ["all servers are killed at once", () => Promise.all(members.map(killServer))],
];

test("while no operator runs", async (context) => {
  await operator.stop();
  for (const [fault, strike] of faults) {
    await context.test(`${fault}: the group serves again, whole, and no acknowledged row is lost`, async () => {
      await client.startWriting();
      await client.untilWriting();
      await strike();
      await client.untilWriting();
      await untilWhole();
      assert.deepEqual(await client.lost(), []);
    });
  }
  await startOperator();
  // the status of before says so, too, until the operator has looked
  await eventually(async () => {
    assert.equal((await readDatabase(platform.kubectl, "orders", namespace)).status.primary, await primary());
  }, minutes(1));
  await untilReady(platform.kubectl, place, minutes(2));
});

test("kubectl scale takes members away and brings them back: one that lost its volume copies all data", async () => {
  await client.startWriting();
  await platform.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=1");
  assert.equal((await untilReady(platform.kubectl, place, minutes(3))).status.replicas, 1);
  await client.untilWriting();
  const Data = z.object({ data: z.object({ "record.json": z.string() }) });
  await eventually(async () => {
    const { data } = Data.parse(await platform.kubectl.find("configmap", "orders-group", namespace));
    assert.deepEqual((JSON.parse(data["record.json"]) as { members: unknown }).members, ["orders-0"]);
  }, minutes(1));
  await platform.kubectl("delete", "pvc", "data-orders-2", "-n", namespace);
  await platform.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=3");
  await untilReady(platform.kubectl, place, minutes(4));
  await client.untilWriting();
  assert.deepEqual(await client.lost(), []);
  const count = await client.ask("select count(*) from acked");
  for (const member of members) {
    await eventually(async () => {
      assert.equal(await askMember(member, "select count(*) from app.acked"), count);
    }, minutes(1));
  }
  assert.equal((await readDatabase(platform.kubectl, "orders", namespace)).status.readyReplicas, 3);
});

test("a backup is taken and verified, and what it has can be read back", async () => {
  await apply({ config: restarted, backup: { enabled: true, retention: 2 } });
  await untilReady(platform.kubectl, place, minutes(4));
  await untilBackedUp(platform.kubectl, place, minutes(2));
  const log = await platform.kubectl("logs", "job/orders-backup-first", "-n", namespace);
  assert.match(log, /^\s*orders-\d{8}T\d{6}Z {2}\d/m);
  await client.ask("drop table items");
  const restored = await restoreInto(await primary());
  assert.match(restored, /orders-\d{8}T\d{6}Z/);
  assert.equal(await client.ask("select count(*) from items"), "3");
});

/** Reads the newest backup into the running group, as docs/operations.md tells a person to do it. */
async function restoreInto(host: string): Promise<string> {
  const script = `set -euo pipefail; newest=$(ls -d /backup/orders-* | tail -n 1); echo "$newest"
    zcat "$newest/dump.sql.gz" | mysql --user=root --host=${host}.orders-headless`;
  const pod = "orders-restore";
  await platform.kubectl.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod, namespace },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 999, fsGroup: 999, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          ...{ name: "restore", image, command: ["bash", "-c", script] },
          env: [
            {
              name: "MYSQL_PWD",
              valueFrom: { secretKeyRef: { name: "orders-system", key: "superuser-password" } },
            },
          ],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          volumeMounts: [{ name: "backup", mountPath: "/backup" }],
        },
      ],
      volumes: [{ name: "backup", persistentVolumeClaim: { claimName: "orders-backup" } }],
    },
  });
  await platform.kubectl(
    "wait",
    `pod/${pod}`,
    "-n",
    namespace,
    "--for=jsonpath={.status.phase}=Succeeded",
    "--timeout=60s",
  );
  return platform.kubectl("logs", pod, "-n", namespace);
}

test("no password is in a log of a pod or of the operator", async () => {
  const Secret = z.object({ data: z.record(z.string(), z.string()) });
  const secrets = await Promise.all(
    ["orders-credentials", "orders-system"].map(async (name) =>
      Secret.parse(await platform.kubectl.find("secret", name, namespace)),
    ),
  );
  const values = secrets
    .flatMap(({ data }) => Object.entries(data))
    .filter(([key]) => key.includes("password"))
    .map(([, value]) => Buffer.from(value, "base64").toString());
  assert.ok(values.length >= 5);
  const pods = (await platform.kubectl("get", "pods", "-n", namespace, "-o", "name")).trim().split("\n");
  const logs = await Promise.all(
    pods.map((pod) => platform.kubectl("logs", pod, "-n", namespace, "--all-containers", "--tail=-1")),
  );
  const all = [...logs, JSON.stringify(operator.log)].join("\n");
  for (const value of values) assert.ok(!all.includes(value));
  await platform.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
});
