// PostgreSQL on a real node when members are stopped, die, freeze, go another way or come back late; and another minor.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { z } from "zod";
import { containerSecurity, podSecurity, underInit } from "../../components/pod";
import { readTables, tableFile } from "../../tools/parameters/read";
import { startClient } from "../harness/client-pod";
import { database, labelledPrimaries, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { processesOf } from "../harness/operator-pods";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { askPostgresqlMember, builtMinors, builtPostgresql } from "../harness/real-postgresql";
import { sendSignal } from "../harness/signal";

const namespace = "shop";
const place = [namespace, "orders"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;
let version: string;
let image: string;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real", extraImages: ["postgresql-15", "postgresql-15-earlier"] });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  ({ version, image } = await builtPostgresql());
  await platform.kubectl("create", "namespace", namespace);
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
  platform.kubectl.apply(database(name, namespace, { version, storage: "2Gi", backup: { enabled: false }, ...spec }));

/** As the superuser, in a member's container. */
const askMember = (pod: string, statement: string): Promise<string> =>
  askPostgresqlMember(platform.kubectl, namespace, pod, statement);

/** The member that serves as the primary, by its own word; never `former`. Throws where there is none. */
async function findPrimary(name: string, former?: string): Promise<string> {
  const labelled = await labelledPrimaries(platform.kubectl, [namespace, name]);
  const primary = labelled.find((pod) => pod.name !== former);
  assert.ok(primary !== undefined, `no primary of ${name}`);
  assert.equal(await askMember(primary.name, "select pg_is_in_recovery()"), "f");
  return primary.name;
}

/** Waits for it. */
const primaryOf = (name: string, former?: string): Promise<string> =>
  eventually(() => findPrimary(name, former), minutes(1));

const Pod = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z.object({
    phase: z.string().default(""),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z.array(z.object({ name: z.string(), restartCount: z.number() })).default([]),
  }),
});

/** The status of a pod. Throws where there is none. */
const statusOf = async (pod: string): Promise<z.infer<typeof Pod>["status"]> =>
  Pod.parse(await platform.kubectl.find("pod", pod, namespace)).status;

/** Processes of a member on this machine. */
const processesOfMember = async (pod: string): Promise<number[]> => {
  const { uid } = Pod.parse(await platform.kubectl.find("pod", pod, namespace)).metadata;
  return processesOf({ uid });
};

/** Those of them whose command line looks so. */
const processesNamed = async (pod: string, command: RegExp): Promise<number[]> => {
  const pids = await processesOfMember(pod);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_, index) => command.test(lines[index] ?? ""));
};

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  assert.ok(pids.length > 0, `no process to send ${name} to`);
  for (const pid of pids) sendSignal(pid, name);
};

/** Writes numbered rows one after the other, and prints the number of each that was acknowledged. */
const writer = `
import psycopg2, time
number, connection = 0, None
while True:
    number += 1
    try:
        if connection is None:
            connection = psycopg2.connect("")
            connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("insert into acknowledged values (%s)", (number,))
        print(number, flush=True)
    except psycopg2.Error:
        connection = None
        time.sleep(0.1)
    time.sleep(0.005)
`;

/** Another member on the volume of `orders-1`, with more time to end than any test has. */
const secondMember = (): unknown => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "second", namespace },
  spec: {
    securityContext: podSecurity,
    terminationGracePeriodSeconds: 600,
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-orders-1" } }],
    containers: [
      {
        name: "postgresql",
        image,
        command: underInit(["postgresql-member"]),
        securityContext: containerSecurity,
        env: [
          { name: "PATRONI_NAME", value: "orders-1" },
          { name: "PATRONI_POSTGRESQL_DATA_DIR", value: "/var/lib/postgresql/data/pgdata" },
        ],
        volumeMounts: [{ name: "data", mountPath: "/var/lib/postgresql/data" }],
      },
    ],
  },
});

/** A client that waits for an answer for longer than any test runs; it ends when its connection does. */
const waiting = `
import psycopg2
with psycopg2.connect("").cursor() as cursor:
    print("connected", flush=True)
    cursor.execute("select pg_sleep(3600)")
`;

const hasEnded = async (client: string): Promise<void> => {
  assert.match((await statusOf(client)).phase, /^(Failed|Succeeded)$/);
};

test("with synchronousCommit a commit waits for any one of the replicas", async () => {
  await apply("orders", { highAvailability: { synchronousCommit: true } });
  await untilReady(platform.kubectl, place, minutes(6));
  const primary = await primaryOf("orders");
  await eventually(async () => {
    assert.match(await askMember(primary, "show synchronous_standby_names"), /^ANY 1 \(.+,.+\)$/);
  }, minutes(1));
  await askMember(primary, "create table acknowledged (number int primary key); grant all on acknowledged to app");
});

test("a member waits while its files are in use, and ends at once when it is told to", async () => {
  await platform.kubectl.apply(secondMember());
  await eventually(async () => {
    assert.match(await platform.kubectl("logs", "second", "-n", namespace), /the files are in use/);
  }, minutes(1));
  await platform.kubectl("delete", "pod", "second", "-n", namespace, "--timeout=30s");
});

test("a member whose container was killed starts again, whatever program has its former server's number by now", async () => {
  const primary = await primaryOf("orders");
  const member = ["orders-0", "orders-1"].find((one) => one !== primary) ?? "";
  const restarts = async (): Promise<number | undefined> =>
    (await statusOf(member)).containerStatuses.find(({ name }) => name === "postgresql")?.restartCount;
  const before = await restarts();
  // in the next container it is Patroni's again
  const number = "number=$(grep -lx patroni /proc/[0-9]*/comm | cut -d/ -f3)";
  const script = `set -e; ${number}; sed -i "1s/.*/$number/" /var/lib/postgresql/data/pgdata/postmaster.pid; kill -9 -1`;
  await platform
    .kubectl("exec", "-n", namespace, member, "-c", "postgresql", "--", "bash", "-c", script)
    .catch(() => "");
  await eventually(async () => {
    assert.notEqual(await restarts(), before);
  }, minutes(1));
  await untilReady(platform.kubectl, place, minutes(2));
  await eventually(async () => {
    assert.equal(await askMember(member, "select pg_is_in_recovery()"), "t");
  }, minutes(1));
});

test("under synchronousCommit a replica stops only once commits count on the other one, which has just come back", async () => {
  const primary = await primaryOf("orders");
  const [first = "", second = ""] = ["orders-0", "orders-1", "orders-2"].filter((member) => member !== primary);
  await platform.kubectl("delete", "pod", first, "-n", namespace, "--timeout=60s");
  await eventually(async () => {
    const { conditions } = await statusOf(first);
    assert.equal(conditions.find(({ type }) => type === "Ready")?.status, "True");
  }, minutes(1));
  await platform.kubectl("delete", "pod", second, "-n", namespace, "--timeout=60s");
  assert.match(await askMember(primary, "show synchronous_standby_names"), new RegExp(first));
  await untilReady(platform.kubectl, place, minutes(2));
});

test("a primary whose pod is deleted hands over before it stops", async () => {
  const primary = await primaryOf("orders");
  const follow = ["logs", "-f", "-n", namespace, primary, "-c", "postgresql"];
  const [log] = await Promise.all([
    platform.kubectl(...follow),
    platform.kubectl("delete", "pod", primary, "-n", namespace, "--timeout=120s"),
  ]);
  assert.match(log, /handover: Successfully switched over to "orders-\d"/);
  assert.doesNotMatch(log, /password/i);
  assert.notEqual(await primaryOf("orders", primary), primary);
  await untilReady(platform.kubectl, place, minutes(2));
});

test("the primary's server is killed under synchronousCommit: another takes over with every acknowledged row", async () => {
  const primary = await primaryOf("orders");
  await eventually(async () => {
    assert.match(await askMember(primary, "show synchronous_standby_names"), /^ANY 1 \(.+,.+\)$/);
  }, minutes(1));
  await startClient(platform.kubectl, { name: "writer", namespace, database: "orders", image, program: writer });
  const acknowledged = async (): Promise<string[]> =>
    (await platform.kubectl("logs", "writer", "-n", namespace)).trim().split("\n").filter(Boolean);
  const untilAcknowledged = (count: number): Promise<void> =>
    eventually(async () => {
      assert.ok((await acknowledged()).length > count);
    }, minutes(1));
  await untilAcknowledged(200);
  const servers = await processesNamed(primary, /^postgres\0|bin\/postgres\0/);
  signal(servers, "SIGKILL");
  const successor = await primaryOf("orders", primary);
  await untilAcknowledged((await acknowledged()).length + 100);
  const numbers = await acknowledged();
  await platform.kubectl("delete", "pod", "writer", "-n", namespace);
  const stored = new Set((await askMember(successor, "select number from acknowledged")).split("\n"));
  assert.deepEqual(
    numbers.filter((number) => !stored.has(number)),
    [],
  );
  await untilReady(platform.kubectl, place, minutes(2));
});

test("a primary that wrote alone and froze: another serves, its clients are cut off, and it comes back without what it had alone", async () => {
  await apply("orders", { highAvailability: { synchronousCommit: false } });
  await untilReady(platform.kubectl, place, minutes(2));
  const primary = await primaryOf("orders");
  await eventually(async () => {
    assert.equal(await askMember(primary, "show synchronous_standby_names"), "");
  }, minutes(1));
  await askMember(primary, "create table notes (text text)");
  await startClient(platform.kubectl, { name: "waiting", namespace, database: "orders", image, program: waiting });
  await eventually(async () => {
    assert.match(await platform.kubectl("logs", "waiting", "-n", namespace), /connected/);
  });
  await eventually(async () => {
    assert.equal(await askMember(primary, "select count(*) from pg_stat_replication where state = 'streaming'"), "2");
  }, minutes(1));
  // what it writes now stays with it alone
  signal(await processesNamed(primary, /^postgres: .*walsender/), "SIGSTOP");
  await askMember(primary, "insert into notes values ('alone')");
  const frozen = await processesOfMember(primary);
  signal(frozen, "SIGSTOP");
  // started anew before the others have elected one, it would find its lease valid, and lead on
  const restarted = new Set<number>();
  const successor = await eventually(async () => {
    for (const pid of await processesOfMember(primary)) if (!frozen.includes(pid)) restarted.add(pid);
    for (const pid of restarted) sendSignal(pid, "SIGSTOP");
    return findPrimary("orders", primary);
  }, minutes(1));
  for (const pid of restarted) sendSignal(pid, "SIGCONT");
  await askMember(successor, "insert into notes values ('together')");
  await eventually(() => hasEnded("waiting"), minutes(1));
  await eventually(async () => {
    assert.equal(await askMember(primary, "select pg_is_in_recovery(), text from notes"), "t|together");
  }, minutes(2));
  // no probe ends the exporter: it would not stop with its pod
  signal(await processesOfMember(primary), "SIGCONT");
  await untilReady(platform.kubectl, place, minutes(2));
});

test("a replica that comes back when the WAL it needs is gone is copied anew by itself", async () => {
  const config = { max_slot_wal_keep_size: "16MB", wal_keep_size: "16MB", max_wal_size: "64MB", min_wal_size: "32MB" };
  await apply("orders", { config });
  await untilReady(platform.kubectl, place, minutes(6));
  await apply("orders", { config, replicas: 2 });
  await untilReady(platform.kubectl, place, minutes(3));
  const primary = await primaryOf("orders");
  await eventually(async () => {
    assert.equal(await askMember(primary, "show max_slot_wal_keep_size"), "16MB");
  }, minutes(1));
  await askMember(primary, "create table changes (segment int)");
  for (let segment = 0; segment < 12; segment++) {
    await askMember(primary, `insert into changes values (${segment})`);
    await askMember(primary, "select pg_switch_wal()");
  }
  await askMember(primary, "checkpoint");
  await apply("orders", { config });
  await eventually(async () => {
    assert.equal(await askMember("orders-2", "select count(*) from changes"), "12");
    assert.equal(await askMember("orders-2", "select status from pg_stat_wal_receiver"), "streaming");
  }, minutes(4));
  assert.match(
    await platform.kubectl("logs", "-n", namespace, "orders-2", "-c", "postgresql"),
    /watch: .* copying it anew/,
  );
  await platform.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
});

test("PostgreSQL 15 goes from one minor to the next, with its rows", async () => {
  const [older, newer] = await builtMinors("15");
  assert.ok(older !== undefined && newer !== undefined, "Debian has one minor of PostgreSQL 15 only");
  const legacy = [namespace, "legacy"] as const;
  await apply("legacy", { version: older, replicas: 2 });
  await untilReady(platform.kubectl, legacy, minutes(4));
  const first = await primaryOf("legacy");
  await askMember(first, "create table t as select generate_series(1, 1000) as x");
  await apply("legacy", { version: newer, replicas: 2 });
  await untilReady(platform.kubectl, legacy, minutes(5));
  for (const member of ["legacy-0", "legacy-1"]) {
    await eventually(async () => {
      assert.match(await askMember(member, "show server_version"), new RegExp(`^${newer.replace(".", "\\.")}\\b`));
      assert.equal(await askMember(member, "select count(*) from t"), "1000");
    }, minutes(1));
  }
});

test("the tables of parameters are what the servers in the images say", async () => {
  const tables = await readTables(["postgresql", "postgresql-15"], () => undefined);
  assert.deepEqual([...tables.keys()].sort(), ["15", "17"]);
  for (const [major, table] of tables) assert.equal(await readFile(tableFile(major), "utf8"), table);
});
